#include "kubelet/pod/plan/restart_backoff.h"

#include <algorithm>

namespace proa::kubelet {
namespace restart_backoff {

constexpr Duration kFirst = std::chrono::seconds(10);
constexpr Duration kMost = std::chrono::minutes(5);
constexpr Duration kForgotten = 2 * kMost;

}  // namespace restart_backoff

std::optional<RestartBackoff::Wait> RestartBackoff::start(const std::string& container,
                                                          const End& end, Time now) {
  using restart_backoff::kFirst;
  using restart_backoff::kMost;
  const auto [place, is_new] = states_.try_emplace(container);
  State& state = place->second;
  if (!is_new && state.after == end.id) return std::nullopt;
  const bool forgotten = is_new || end.at - state.noted > restart_backoff::kForgotten;
  if (!forgotten && now - end.at < state.wait) return Wait{state.wait, end.at + state.wait};
  state.wait = forgotten ? kFirst : std::min(2 * state.wait, kMost);
  state.noted = now;
  state.after = end.id;
  return std::nullopt;
}

}  // namespace proa::kubelet
