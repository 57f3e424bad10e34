#!/usr/bin/env python3
"""Fetches a few megabytes of public-domain text for `rlx train examples/training/text.toml`.

    scripts/fetch_text.py
    scripts/fetch_text.py --prose --out crates/rlx-tiny-model/text.txt

The text is the King James Version of the Bible, one verse per line, 4.4 MB. With `--prose`, it is continuous prose without verse numbers,
with `<|endoftext|>` between chapters and every tenth chapter moved to the end, where `rlx train` keeps text for validation. It comes
from Debian's package `bible-kjv-text`, whose copyright file says: "The copyright for the King James Version text of the Bible is expired
since the translation was done in 1611 under King James the first of Great Britain." The package is fetched with `apt-get download` if
available, otherwise from a mirror over HTTP. The SHA-256 of the package and the text are checked.
"""

import argparse
import hashlib
import io
import lzma
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

PACKAGE, VERSION = "bible-kjv-text", "4.38"
FILE = f"{PACKAGE}_{VERSION}_all.deb"
MIRRORS = ["https://deb.debian.org/debian", "https://archive.debian.org/debian"]
PACKAGE_SHA256 = "d61b6aad4c51ba9e2800b825325fa6a09e99a0d02a9bb6dc4724fcc4995a1b7a"
TEXT_SHA256 = "cd45f0c9cedab8e4439bd6486c8952c77cc8b0ecc5d1f6ae3513f2039f47229d"
PROSE_SHA256 = "600016c36482966fb7334e88fe04a787b4ed3a96439e8733b83a3b7211474195"
DEFAULT = pathlib.Path(__file__).resolve().parent.parent / "examples" / "training" / "text.txt"


def checked(data, expected, what):
    got = hashlib.sha256(data).hexdigest()
    if got != expected:
        raise ValueError(f"{what}: SHA-256 {got}, expected {expected}")
    return data


def by_apt():
    with tempfile.TemporaryDirectory() as folder:
        command = ["apt-get", "download", f"{PACKAGE}={VERSION}"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return (pathlib.Path(folder) / FILE).read_bytes()


def by_http(mirror):
    with urllib.request.urlopen(f"{mirror}/pool/main/b/bible-kjv/{FILE}", timeout=60) as answer:
        return answer.read()


def package(given):
    """The bytes of the package, from the first source that has them."""
    if given:
        return checked(pathlib.Path(given).read_bytes(), PACKAGE_SHA256, given)
    sources = [("apt-get", by_apt)] if shutil.which("apt-get") else []
    sources += [(mirror, lambda mirror=mirror: by_http(mirror)) for mirror in MIRRORS]
    failures = []
    for name, fetch in sources:
        try:
            return checked(fetch(), PACKAGE_SHA256, name)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            failures.append(f"  {name}: {error}")
    sys.exit("no source has the package:\n" + "\n".join(failures) + f"\nfetch {FILE} yourself and give it by --package")


def member(archive, name):
    """A member of an `ar` archive, which is the format of Debian packages."""
    at = len(b"!<arch>\n")
    while at < len(archive):
        header = archive[at : at + 60]
        size = int(header[48:58])
        if header[:16].decode().strip().rstrip("/") == name:
            return archive[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    raise ValueError(f"the package has no {name}")


def unlzw(data):
    """Decompresses the output of `compress` without its header of three bytes: codes of 9 to 16 bits, where 256 clears the table."""
    clear, widest = 256, 16
    table = [bytes([i]) for i in range(256)] + [b""]
    width, at, begin, last, out = 9, 0, 0, None, []

    def aligned(at, width):
        # Codes come in groups of eight. A group of another width begins after the previous group is complete.
        return begin + -(-(at - begin) // (8 * width)) * 8 * width

    while at + width <= 8 * len(data):
        code = int.from_bytes(data[at // 8 : at // 8 + 4], "little") >> at % 8 & (1 << width) - 1
        at += width
        if code == clear and last is not None:
            at = begin = aligned(at, width)
            width, last = 9, None
            del table[257:]
            continue
        if last is None:
            entry = table[code]
        else:
            entry = table[code] if code < len(table) else last + last[:1]
            if len(table) < 1 << widest:
                table.append(last + entry[:1])
        out.append(entry)
        last = entry
        if len(table) > (1 << width) - 1 and width < widest:
            at = begin = aligned(at, width)
            width += 1
    return b"".join(out)


def text(archive):
    """The lines of the text. The package has them in separately compressed windows, after a table of their offsets."""
    tar = tarfile.open(fileobj=io.BytesIO(lzma.decompress(member(archive, "data.tar.xz"))))
    data = tar.extractfile("./usr/lib/bible.data").read()
    (count,) = struct.unpack_from(">I", data, 0x58)
    begins = struct.unpack_from(f">{count + 1}I", data, 0x5C)
    whole = b"".join(unlzw(data[a:b]) for a, b in zip(begins, begins[1:]))
    # The first line names the edition.
    return whole.split(b"\n", 1)[1]


def prose(verses):
    """Chapters without verse numbers, every tenth of them after the others."""
    chapters = {}
    for line in verses.decode().splitlines():
        place, verse = line.split(" ", 1)
        chapters.setdefault(place.split(":")[0], []).append(verse.strip())
    texts = [" ".join(chapter) for chapter in chapters.values()]
    trained = [text for i, text in enumerate(texts) if i % 10 != 9]
    return "<|endoftext|>".join(trained + texts[9::10]).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=DEFAULT, help="the file to write (default: %(default)s)")
    parser.add_argument("--prose", action="store_true", help="write chapters of prose instead of verses")
    parser.add_argument("--package", help=f"a copy of {FILE} to use instead of fetching it")
    args = parser.parse_args()
    expected = PROSE_SHA256 if args.prose else TEXT_SHA256
    if args.out.exists() and hashlib.sha256(args.out.read_bytes()).hexdigest() == expected:
        print(f"{args.out} already exists")
        return
    found = checked(text(package(args.package)), TEXT_SHA256, "the text")
    if args.prose:
        found = checked(prose(found), PROSE_SHA256, "the prose")
    part = args.out.with_suffix(".part")
    part.write_bytes(found)
    os.replace(part, args.out)
    print(f"{args.out}: {len(found)} bytes")


if __name__ == "__main__":
    main()
