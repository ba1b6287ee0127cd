"""Paths of Linux as programs of Windows have them under Wine, whose drive Z: is the root."""


def on_drive(path):
    return "Z:" + str(path).replace("/", "\\")
