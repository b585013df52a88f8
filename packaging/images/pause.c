// proa/pause:1: holds the namespaces of a pod, and buries the dead where the pod's containers share
// their processes. Ends on SIGTERM and SIGINT.

#include "freestanding.h"

static void bury_the_dead(void) {
  const int kNoHang = 1;
  const int kAnyChild = -1;
  while (call(__NR_wait4, kAnyChild, 0, kNoHang, 0, 0, 0) > 0) {
  }
}

static void program(long* stack) {
  (void)stack;
  const unsigned long awaited = signal_bit(kSigInt) | signal_bit(kSigTerm) | signal_bit(kSigChild);
  block_signals(&awaited);
  for (;;) {
    const long signal = call(__NR_rt_sigtimedwait, (long)&awaited, 0, 0, kSignalSetBytes, 0, 0);
    if (signal == kSigInt || signal == kSigTerm) leave(0);
    // Signals of the same kind come together: one may stand for many children.
    bury_the_dead();
  }
}
