"""Pieces of two photographs in one bag: separated, counted, and each picture put together by itself."""

from jigsolve import SolveParams, cut, scramble, solve_mixed
from jigsolve.io.samples import read_sample
from jigsolve.puzzle.pieces import mix
from jigsolve.puzzle.scores import match_pictures, score

photographs = [read_sample("cat"), read_sample("coffee")]
bag, truths = mix([scramble(cut(picture, 50), rotate=True, seed=1) for picture in photographs], seed=2)

results = solve_mixed(bag, params=SolveParams(effort="fast"))  # or solve_mixed(bag, 2), if you know how many there are
print(f"{len(bag)} pieces of {len(results)} pictures")
answer, own = match_pictures([result.layout for result in results], truths)
print(f"{own:.1%} of them in their own picture")
for truth, k in zip(truths, answer, strict=True):
    layout = results[k].layout
    print(f"{layout.rows} rows x {layout.cols} cols, {score(layout, truth).neighbour:.1%} of joints right")
