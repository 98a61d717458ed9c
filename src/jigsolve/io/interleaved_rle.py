"""Interleaved run-length coding of bitmaps: the RLE_BITMAP_STREAM of MS-RDPBCGR, section 2.2.9.1.1.3.1.2.4.

A bitmap is a series of orders. Each writes a run of pixels, from left to right and then in the next row; many repeat
the pixels of the row before. Pixels are whole numbers of 1 to 4 bytes, the lowest byte first.
"""

from typing import NamedTuple

Pels = list[int]

BACKGROUND, FOREGROUND, MASKED, COLOUR, IMAGE, DITHERED = range(6)


class Order(NamedTuple):
    """What an order writes, and how its header gives the length of the run.

    bits: of the header that hold the length; 0 if two bytes hold it. sets_foreground: a new foreground comes first.
    """

    kind: int
    bits: int
    sets_foreground: bool = False


REGULAR = {kind: Order(kind, 5) for kind in (BACKGROUND, FOREGROUND, MASKED, COLOUR, IMAGE)}  # by the upper 3 bits
LITE = {0xC: Order(FOREGROUND, 4, True), 0xD: Order(MASKED, 4, True), 0xE: Order(DITHERED, 4)}  # by the upper 4 bits
MEGA = {
    0xF0: Order(BACKGROUND, 0), 0xF1: Order(FOREGROUND, 0), 0xF2: Order(MASKED, 0), 0xF3: Order(COLOUR, 0),
    0xF4: Order(IMAGE, 0), 0xF6: Order(FOREGROUND, 0, True), 0xF7: Order(MASKED, 0, True), 0xF8: Order(DITHERED, 0),
}  # fmt: skip
SPECIAL_MASKS = {0xF9: 0x03, 0xFA: 0x05}
WHITE, BLACK = 0xFD, 0xFE


def decode(data: bytes, width: int, height: int, depth: int) -> Pels:
    """The pixels of a bitmap, row by row as they are stored. depth: bytes of a pixel.

    Raises ValueError if the data is not that of a bitmap of this size.
    """
    return _Decoder(data, width, width * height, depth).run()


class _Decoder:
    def __init__(self, data: bytes, width: int, size: int, depth: int) -> None:
        self.data, self.at = data, 0
        self.width, self.size, self.depth = width, size, depth
        self.white = (1 << 8 * depth) - 1
        self.foreground = self.white
        self.out: Pels = []

    def run(self) -> Pels:
        is_first_row, follows_background = True, False
        while self.at < len(self.data) and len(self.out) < self.size:
            if is_first_row and len(self.out) >= self.width:
                is_first_row = follows_background = False
            header = self._take(1)
            if header in (WHITE, BLACK):
                self.out.append(self.white if header == WHITE else 0)
                follows_background = False
            elif header in SPECIAL_MASKS:
                self._write_masked(SPECIAL_MASKS[header], min(8, self.size - len(self.out)), is_first_row)
                follows_background = False
            else:
                follows_background = self._execute(header, is_first_row, follows_background)
            if len(self.out) > self.size:
                raise ValueError("a run is longer than the bitmap")
        if len(self.out) < self.size:
            raise ValueError(f"{len(self.out)} of {self.size} pixels are coded")
        return self.out

    def _execute(self, header: int, is_first_row: bool, follows_background: bool) -> bool:
        """Execute one order; returns whether it was a run of background."""
        order = MEGA.get(header) or LITE.get(header >> 4) or REGULAR.get(header >> 5)
        if order is None or (header >= 0xF0 and header not in MEGA):
            raise ValueError(f"there is no order 0x{header:02x}")
        length = self._read_length(header, order)
        if length > self.size - len(self.out):
            raise ValueError("a run is longer than the bitmap")
        if order.sets_foreground:
            self.foreground = self._take(self.depth)
        match order.kind:
            case 0:  # BACKGROUND
                marks = int(follows_background and length > 0)  # two runs of background have a pixel between them
                self._repeat(marks, self.foreground, is_first_row)
                self._repeat(length - marks, 0, is_first_row)
            case 1:  # FOREGROUND
                self._repeat(length, self.foreground, is_first_row)
            case 2:  # MASKED
                for begin in range(0, length, 8):
                    self._write_masked(self._take(1), min(8, length - begin), is_first_row)
            case 3:  # COLOUR
                self.out += [self._take(self.depth)] * length
            case 4:  # IMAGE
                self.out += [self._take(self.depth) for _ in range(length)]
            case _:  # DITHERED
                both = [self._take(self.depth), self._take(self.depth)]
                self.out += both * length
        return order.kind == BACKGROUND

    def _read_length(self, header: int, order: Order) -> int:
        if order.bits == 0:
            return self._take(2)
        length = header & ((1 << order.bits) - 1)
        if order.kind == MASKED:
            return 8 * length if length else self._take(1) + 1
        return length or self._take(1) + (1 << order.bits)

    def _take(self, count: int) -> int:
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise ValueError("the data ends too early")
        self.at += count
        return int.from_bytes(part, "little")

    def _repeat(self, length: int, change: int, is_first_row: bool) -> None:
        """Write pixels of the row before, with the bits of a colour flipped; above the first row all is black."""
        out, width = self.out, self.width
        if is_first_row:
            out += [change] * length
            return
        while length > 0:
            above = out[len(out) - width : len(out) - width + min(length, width)]
            out += [pel ^ change for pel in above] if change else above
            length -= len(above)

    def _write_masked(self, mask: int, length: int, is_first_row: bool) -> None:
        """Write up to eight pixels: a bit of the mask says whether one is foreground."""
        for bit in range(length):
            self._repeat(1, self.foreground if mask >> bit & 1 else 0, is_first_row)
