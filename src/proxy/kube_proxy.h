#pragma once

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "proxy/metrics.h"

// What upstream's kube-proxy leaves on a machine when this proxy takes its place: rules for
// Services as they were, which nobody updates. All is of the calling thread's network namespace.

namespace proa::proxy {

// Whether a process of that name runs here.
bool kube_proxy_runs(Files& files);

// Removes its tables of nf_tables. False if there are none.
Result<bool> remove_kube_proxy_tables(Clock& clock);

// Removes what it left, once the rules of `mode` are written: its tables, and its chains of
// iptables unless that is our own mode, which uses the same ones. Nothing if kube-proxy may still
// run, as it does where a port that it uses, too, cannot be had (`holds_ports`). The log says what
// was done. For one thread.
class KubeProxyTakeover {
 public:
  // REQUIRES: files and clock outlive it.
  KubeProxyTakeover(Files& files, Clock& clock, Mode mode)
      : files_(files), clock_(clock), mode_(mode) {}

  // False if it is to be tried again later.
  bool run(bool holds_ports);

 private:
  Files& files_;
  Clock& clock_;
  const Mode mode_;
  bool waits_ = false;  // which the log says once
};

}  // namespace proa::proxy
