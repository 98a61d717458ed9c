"""
Two photographs in one bag
==========================

Pieces of two photographs, mixed and turned: they are separated, counted, and each picture is put together by itself.
"""

import matplotlib.pyplot as plt
import numpy as np

from jigsolve import SolveParams, cut, scramble, solve_mixed
from jigsolve.io.render import render_picture
from jigsolve.io.samples import read_sample
from jigsolve.puzzle.pieces import mix
from jigsolve.puzzle.scores import match_pictures, score

photographs = [read_sample("cat"), read_sample("coffee")]
bag, truths = mix([scramble(cut(picture, 50), rotate=True, seed=1) for picture in photographs], seed=2)

# %%
# ``solve_mixed(bag, 2)`` says how many pictures there are. Here that is found out.

results = solve_mixed(bag, params=SolveParams(effort="fast"))
print(f"{len(bag)} pieces of {len(results)} pictures")
answer, own = match_pictures([result.layout for result in results], truths)
print(f"{own:.1%} of them in their own picture")
for truth, k in zip(truths, answer, strict=True):
    layout = results[k].layout
    print(f"{layout.rows} rows x {layout.cols} cols, {score(layout, truth).neighbour:.1%} of joints right")

# %%
# The bag, and what was made of it. A picture whose pieces were turned may come out turned as a whole.

figure, axes = plt.subplots(1, 1 + len(results), figsize=(11, 3.6), layout="constrained")
rows = len(bag) // 15
heap = bag.pieces[: rows * 15].reshape(rows, 15, 50, 50, 3).swapaxes(1, 2).reshape(rows * 50, 15 * 50, 3)
for place, picture in zip(axes, [heap, *(render_picture(bag, result.layout) for result in results)], strict=True):
    place.imshow(np.rot90(picture) if picture.shape[0] > picture.shape[1] else picture)
    place.axis("off")
axes[0].set_title("pieces of the bag")
plt.show()
