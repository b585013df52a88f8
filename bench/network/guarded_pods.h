#pragma once

namespace proa::network_bench {

// Two pods on a bridge whose packets pass the hooks of IP, as with NetworkPolicies.
struct GuardCost {
  double throughput = 0;  // of one connection with the guard, of that without
  double connecting = 0;  // how long it takes with the guard, of that without
};
// The median of `rounds`, each with both in turns.
GuardCost measure_guard(int rounds);

}  // namespace proa::network_bench
