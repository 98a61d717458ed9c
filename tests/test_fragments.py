"""Fragments: contacts, merges, tiles that occur again, and caches of drawn screens as a whole."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from caches import Tile, cut_tiles, draw_screen, write_bin
from jigsolve.compatibility import Joints
from jigsolve.fragments.assembly import Assembly, find_contacts
from jigsolve.fragments.contacts import IMPOSSIBLE, Contacts, Tiles
from jigsolve.fragments.growth import Stripe, find_inner_contacts, grow
from jigsolve.fragments.pictures import render_fragment
from jigsolve.fragments.root import solve_fragments
from jigsolve.fragments.values import Fragments
from jigsolve.io.inputs import Input
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle import HOLE, UNKNOWN, Puzzle
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, UP, side_id
from jigsolve.runtime import InputError

FAST = SolveParams(threads=1)
Joint = tuple[int, int, float]


def make_contacts(
    n: int, joints: list[Joint], pieces: Tile | None = None, sizes: list[tuple[int, int]] | None = None
) -> Contacts:
    """Contacts of n tiles of noise. joints: two sides and their P."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (n, 8, 8, 3), dtype=np.uint8) if pieces is None else pieces
    a, b, p = zip(*joints, strict=True) if joints else ((), (), ())
    lower = coo_array((p, (a, b)), shape=(4 * n, 4 * n))
    P = csr_array(lower + lower.T)
    return Contacts(Tiles(Puzzle(pixels, *UNKNOWN), np.array(sizes or [(8, 8)] * n)), Joints(P, P))


def right(a: int, b: int, p: float) -> Joint:
    return side_id(a, RIGHT), side_id(b, LEFT), p


def below(a: int, b: int, p: float) -> Joint:
    return side_id(a, DOWN), side_id(b, UP), p


def assemble(contacts: Contacts, n: int, min_score: float = 0.0) -> Assembly:
    assembly = Assembly(contacts, list(range(n)))
    assembly.run(min_score)
    return assembly


def test_likely_joints_are_merged_and_unlikely_ones_are_not() -> None:
    assembly = assemble(make_contacts(4, [right(0, 1, 0.99), below(1, 2, 0.98), right(2, 3, 0.02)]), 4)
    grids = sorted(assembly.grids.values(), key=len)
    assert list(grids[0].values()) == [3]
    place = {tile: cell for cell, tile in grids[1].items()}
    assert place[1] == (place[0][0], place[0][1] + 1)
    assert place[2] == (place[1][0] + 1, place[1][1])


def test_nothing_overlaps_and_the_surer_joint_wins() -> None:
    assembly = assemble(make_contacts(3, [right(0, 1, 0.99), right(0, 2, 0.9)]), 3)
    assert sorted(map(len, assembly.grids.values())) == [1, 2]
    assert assembly.place[0][0] == assembly.place[1][0] != assembly.place[2][0]


def test_two_weak_joints_support_each_other() -> None:
    """Tile 3 closes a loop with two joints, neither of which would do by itself among so many tiles."""
    loop = [right(0, 1, 0.99), below(0, 2, 0.99)]
    weak = [right(2, 3, 0.7), below(1, 3, 0.7)]
    assert max(map(len, assemble(make_contacts(500, loop + weak), 500, 1.0).grids.values())) == 4
    assert max(map(len, assemble(make_contacts(500, loop + weak[:1]), 500, 1.0).grids.values())) == 3


def test_contacts_are_found_on_all_sides() -> None:
    ring = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 0): 3, (1, 2): 4, (2, 0): 5, (2, 1): 6, (2, 2): 7}
    pairs = find_contacts(ring, {(5, 5): 8}, (-4, -4))
    assert pairs is not None
    assert set(pairs) == {below(1, 8, 0)[:2], right(3, 8, 0)[:2], right(8, 4, 0)[:2], below(8, 6, 0)[:2]}
    assert find_contacts(ring, {(0, 0): 8}, (2, 2)) is None
    assert len(find_inner_contacts(ring)) == 8


def test_small_tiles_lie_at_the_edges_only() -> None:
    joints = [right(0, 1, 0.99), right(1, 2, 0.99), below(1, 3, 0.99)]
    contacts = make_contacts(4, joints, sizes=[(8, 8), (3, 8), (8, 8), (8, 8)])
    assert set(contacts.logits) == {(a, b) for x, y, _ in joints[:1] for a, b in ((x, y), (y, x))}
    assert contacts.weigh([joints[1][:2], joints[2][:2]]) == [IMPOSSIBLE, IMPOSSIBLE]
    assert contacts.is_possible(*joints[0][:2])


def test_flat_sides_of_other_colours_speak_against_a_merge() -> None:
    pieces = np.full((3, 8, 8, 3), 250, np.uint8)
    pieces[:, 3:5, 3:5] = 0
    pieces[2] = 9
    contacts = make_contacts(3, [], pieces)
    same, other = contacts.weigh([right(0, 1, 0)[:2], right(0, 2, 0)[:2]])
    assert same > 0 > other
    assert contacts.count_flat(right(0, 1, 0)[:2]) == 2


def test_plain_tiles_fill_cells_between_three_neighbours_only() -> None:
    pieces = np.full((6, 8, 8, 3), 250, np.uint8)
    for k in range(5):
        pieces[k, 3:5, 2 + k % 3 : 4 + k % 3] = 10 * k
    joints = [right(0, 1, 0.99), below(1, 2, 0.99), below(0, 3, 0.99), below(3, 4, 0.99)]
    assembly = Assembly(make_contacts(6, joints, pieces), [0, 1, 2, 3, 4])
    assembly.run(0.0)
    assert all(5 not in one.grid.values() for one in grow(assembly, 0.0))  # two neighbours at most
    ring = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 0): 3, (1, 2): 4}
    assembly.grids = {0: ring}
    assembly.joined = dict.fromkeys(find_inner_contacts(ring), 3.0)
    ((grid, joined, _),) = grow(assembly, 0.0)
    assert grid[1, 1] == 5
    assert set(joined) == set(find_inner_contacts(grid))


def draw_rule(ends: int) -> Contacts:
    """Tile 0 ends in a rule to the right, tile 1 is the rule, and so many tiles begin with it."""
    pieces = np.random.default_rng(0).integers(0, 256, (2 + ends, 8, 8, 3), dtype=np.uint8)
    rule = np.full((8, 3), 250, np.uint8)
    rule[4] = 0
    pieces[0, :, -1] = pieces[2:, :, 0] = rule
    pieces[1] = rule[:, None]
    return make_contacts(2 + ends, [right(0, 1, 0.5), right(1, 2, 0.5), right(0, 2, 0.5)], pieces)


def test_a_stripe_is_added_at_both_ends_and_never_between_them() -> None:
    """How long a rule is cannot be seen, so its ends do not become one fragment."""
    contacts = draw_rule(1)
    assert contacts.tiles.stripes.reshape(-1, 4).tolist() == [[False] * 4, [True, False, True, False], [False] * 4]
    grids = [one.grid for one in grow(assemble(contacts, 3, 1.5), 1.5)]
    assert sorted(sorted(grid.values()) for grid in grids) == [[0, 1], [1], [1, 2]]
    where = {tile: cell for grid in grids for cell, tile in grid.items() if 0 in grid.values()}
    assert where[1] == (where[0][0], where[0][1] + 1)
    (longer,) = (one.grid for one in grow(assemble(contacts, 3, 0.7), 0.7) if 0 in one.grid.values())
    assert sorted(longer.values()) == [0, 1, 1]  # most rules are longer than a tile, how much is unknown
    many = [sorted(one.grid.values()) for one in grow(assemble(draw_rule(4), 6, 1.5), 1.5)]
    assert many == [[0, 1], [1], [2], [3], [4], [5]]  # it may belong to any of the four


def test_a_stripe_goes_on_where_several_tiles_begin_and_end_it() -> None:
    """Across, where lines of text and rules of tables run; down it is as likely to end."""
    for side in (RIGHT, DOWN):
        few, many = Stripe(tile=1, ends=1, far_ends=4), Stripe(tile=1, ends=2, far_ends=2)
        assert many.estimate(side, goes_on=True) > few.estimate(side, goes_on=True)
        assert few.estimate(side, goes_on=False) > many.estimate(side, goes_on=False)
        assert Stripe(1, 2, 2).estimate(LEFT, True) == many.estimate(RIGHT, True) > many.estimate(DOWN, True)


def test_a_stripe_goes_on_beside_other_tiles_only() -> None:
    pieces = np.full((4, 8, 8, 3), 250, np.uint8)
    pieces[:3, 3:5, 2:4] = 30
    pieces[0, 4, 4:] = 0
    pieces[3, 4] = 0
    assembly = Assembly(make_contacts(4, [], pieces), [0, 1, 2, 3])
    assembly.grids = {0: {(1, 0): 0, (0, 0): 1, (0, 1): 2}}
    assembly.joined = dict.fromkeys(find_inner_contacts(assembly.grids[0]), 3.0)
    ((grid, _, _),) = grow(assembly, 2.0)
    assert [cell for cell, tile in grid.items() if tile == 3] == [(1, 1)]
    assert len(grow(assembly, -5.0)[0].grid) < 12  # it never goes on without end
    assembly.grids[0][0, 2] = assembly.grids[0].pop((0, 0))
    assembly.joined = dict.fromkeys(find_inner_contacts(assembly.grids[0]), 3.0)
    ((grid, _, _),) = grow(assembly, 2.0)
    assert sorted(cell for cell, tile in grid.items() if tile == 3) == [(1, 1), (1, 2)]


def test_a_tile_is_used_again_where_it_fits() -> None:
    """Two versions of one place: tiles 0 and 3 differ, tile 1 was drawn beside both."""
    joints = [right(0, 1, 0.97), right(3, 1, 0.9), right(1, 2, 0.99), below(0, 4, 0.99), below(3, 5, 0.99)]
    assembly = assemble(make_contacts(6, joints), 6, 1.0)
    assert len(assembly.grids) == 2
    grown = grow(assembly, 1.0)
    grids = [set(one.grid.values()) for one in grown]
    (first,) = (one for one in grown if 0 in one.grid.values())
    assert [[tile for tile, _ in tiles] for tiles in first.variants.values()] == [[3]]  # in the cell of tile 0
    assert {frozenset(grid) for grid in grids} == {frozenset({0, 1, 2, 4}), frozenset({3, 5, 1})}


@pytest.fixture(scope="module")
def cache() -> tuple[list[Tile], list[list[list[int]]]]:
    """Tiles of two screens in random order, and where they lie."""
    screens = [draw_screen(300, 420, 1), draw_screen(260, 330, 2)]
    tiles = [tile for screen in screens for tile in cut_tiles(screen)]
    order = list(range(len(tiles)))
    random.Random(3).shuffle(order)
    number = {old: new for new, old in enumerate(order)}
    grids, first = [], 0
    for screen in screens:
        rows, cols = -(-screen.shape[0] // 64), -(-screen.shape[1] // 64)
        grids.append([[number[first + r * cols + c] for c in range(cols)] for r in range(rows)])
        first += rows * cols
    return [tiles[k] for k in order], grids


def joints_of(grid: np.ndarray) -> set[tuple[int, int, int]]:
    across = zip(grid[:, :-1].ravel(), grid[:, 1:].ravel(), strict=True)
    down = zip(grid[:-1].ravel(), grid[1:].ravel(), strict=True)
    both = [(int(a), int(b), 0) for a, b in across] + [(int(a), int(b), 1) for a, b in down]
    return {joint for joint in both if HOLE not in joint[:2]}


@pytest.fixture(scope="module")
def found(cache: tuple[list[Tile], list[list[list[int]]]], tmp_path_factory: pytest.TempPathFactory) -> Fragments:
    path = tmp_path_factory.mktemp("cache") / "Cache0000.bin"
    path.write_bytes(write_bin(cache[0]))
    return solve_fragments(path, FAST)


def test_fragments_of_a_cache(found: Fragments, cache: tuple[list[Tile], list[list[list[int]]]]) -> None:
    true = set().union(*(joints_of(np.array(grid)) for grid in cache[1]))
    shown = set().union(*(joints_of(one.layout.pieces) for one in found.fragments))
    assert len(shown & true) >= 0.95 * len(shown)
    assert len(shown & true) >= 0.4 * len(true)
    assert found.joints == sum(len(joints_of(one.layout.pieces)) for one in found.fragments)
    content = [one.content for one in found.fragments]
    assert content == sorted(content, reverse=True)
    used = {int(piece) for one in found.fragments for piece in one.layout.pieces.ravel()} - {HOLE}
    assert used.isdisjoint(found.single)
    assert repr(found).startswith("Fragments(")
    assert repr(found.fragments[0]).startswith("Fragment(")


def test_joints_have_the_confidence_that_was_asked_for(found: Fragments) -> None:
    for one in found.fragments:
        assert one.confidence.joints.min() >= found.min_confidence - 1e-9
        assert (np.isnan(one.confidence.pieces) == (one.layout.pieces == HOLE)).all()
    fewer = solve_fragments(found.input, FAST, min_confidence=0.97)
    assert fewer.joints < found.joints
    assert fewer.share > found.share


def test_pictures_show_tiles_in_their_own_size(found: Fragments) -> None:
    sizes = found.input.sizes
    assert sizes is not None
    for one in found.fragments:
        picture = render_fragment(found.input, one.layout)
        shown = one.layout.pieces[one.layout.pieces != HOLE]
        assert int((picture[..., 3] > 0).sum()) == int(sizes[shown].prod(axis=1).sum())


def test_what_fragments_cannot_be_made_of(found: Fragments) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        solve_fragments(found.input, min_confidence=1.0)
    turned = Input(Puzzle(found.input.puzzle.pieces, *UNKNOWN, rotated=True))
    with pytest.raises(InputError, match="upright"):
        solve_fragments(turned)


def test_no_time_is_no_error(found: Fragments) -> None:
    late = solve_fragments(found.input, SolveParams(threads=1, time_limit=1e-6))
    assert late.stopped
    assert late.fragments == ()


def test_held_fragments_stay_and_grow() -> None:
    """Tiles 0 and 2 are put together by hand, against what the program believes; tile 1 is held in two places."""
    joints = [right(0, 1, 0.8), right(1, 2, 0.8), below(2, 3, 0.99)]
    contacts = make_contacts(5, joints)
    assembly = Assembly(contacts, list(range(5)))
    for grid in ({(0, 0): 0, (0, 1): 2}, {(0, 0): 1, (1, 0): 4}, {(5, 5): 1, (5, 6): 4}):
        assembly.hold(grid, dict.fromkeys(find_inner_contacts(grid), np.inf))
    assembly.run(3.0)
    grids = [set(one.grid.values()) for one in grow(assembly, 3.0)]
    assert {0, 2, 3} in grids
    assert grids.count({1, 4}) == 2
    assert assembly.place[1][0] != assembly.place[0][0]
    (held,) = (one for one in grow(assembly, 3.0) if 0 in one.grid.values())
    assert held.joined[right(0, 2, 0)[:2]] == np.inf


def test_forbidden_sides_never_meet() -> None:
    joints = [right(0, 1, 0.99), right(0, 2, 0.9)]
    tiles = make_contacts(3, joints)
    a, b, p = zip(*joints, strict=True)
    P = csr_array(coo_array((p, (a, b)), shape=(12, 12)))
    contacts = Contacts(tiles.tiles, Joints(P, P), [right(0, 1, 0)[:2]])
    assert contacts.weigh([right(0, 1, 0)[:2]]) == [IMPOSSIBLE]
    grids = sorted(assemble(contacts, 3).grids.values(), key=len)
    assert [set(grid.values()) for grid in grids] == [{1}, {0, 2}]


def test_an_answer_is_continued(found: Fragments) -> None:
    """What is held stays together, also what a person has joined; what is forbidden does not come back."""
    again = solve_fragments(found.input, FAST, held=found.fragments)
    assert again.joints >= found.joints
    for one in found.fragments:
        assert any(joints_of(one.layout.pieces) <= joints_of(other.layout.pieces) for other in again.fragments)
    a, b, down = next(iter(joints_of(found.fragments[0].layout.pieces)))
    sides = (side_id(b, UP), side_id(a, DOWN)) if down else (side_id(a, RIGHT), side_id(b, LEFT))
    parted = solve_fragments(found.input, FAST, forbidden=[sides])
    assert all((a, b, down) not in joints_of(one.layout.pieces) for one in parted.fragments)
    with pytest.raises(InputError, match="could face each other"):
        solve_fragments(found.input, FAST, forbidden=[(side_id(a, UP), side_id(b, LEFT))])
    late = solve_fragments(found.input, SolveParams(threads=1, time_limit=1e-6), held=found.fragments)
    assert late.fragments == found.fragments
