int f(int a) { if (0 && a) return g((void *)&a); switch (a) { case A: goto x; } ret = h(a); if (ret) return ret; return 0; g(); x: return 1; }
#define R _IOR(1,2,int)
static struct pci_device_id t[] = { { P(1) }, { } };
MODULE_DEVICE_TABLE(pci, t);
#if 0
#endif
