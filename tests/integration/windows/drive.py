"""Converts paths of Linux to the paths that programs of Windows have under Wine, whose drive Z: is
the root."""


def on_drive(path):
    return "Z:" + str(path).replace("/", "\\")
