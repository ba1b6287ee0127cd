/*
 * Opens the certificates of the system's authorities. Wine imports them from Linux when a program
 * opens them in a new prefix for the first time, which takes longer than a request may.
 */
#include <windows.h>

#include <wincrypt.h>

int main(void)
{
    HCERTSTORE roots = CertOpenSystemStoreW(0, L"ROOT");
    return roots != NULL && CertCloseStore(roots, 0) ? 0 : 1;
}
