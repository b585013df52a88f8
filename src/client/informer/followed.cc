#include "client/informer/followed.h"

namespace proa::client {

Steady Followed::poll() {
  const Steady due = informer_.poll();
  if (!told_ && informer_.synced()) {
    told_ = true;
    synced_();
  }
  return due;
}

}  // namespace proa::client
