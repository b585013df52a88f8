#include "apiserver/front/http/in_flight.h"

#include <string_view>

namespace proa::apiserver {
namespace in_flight {

// The members of upstream's flow schema system-leader-election.
bool is_candidate(const User& user) {
  return user.name == "system:kube-controller-manager" || user.name == "system:kube-scheduler" ||
         user.in_group("system:serviceaccounts:kube-system");
}

// The requests of upstream's flow schema system-node-high.
bool is_heartbeat(const Request& request) {
  const std::string_view resource = request.resource->name;
  const std::string_view group = request.resource->group;
  return (group.empty() && resource == "nodes") ||
         (group == "coordination.k8s.io" && resource == "leases");
}

bool is_leader_lease(const Request& request) {
  return request.resource->group == "coordination.k8s.io" && request.resource->name == "leases" &&
         request.name_space == "kube-system";
}

}  // namespace in_flight

bool InFlight::has_place(Kind kind) const {
  const auto index = static_cast<size_t>(kind);
  return limits_[index] == 0 || counts_[index].load(std::memory_order_relaxed) < limits_[index];
}

InFlight::Place InFlight::take(Kind kind, bool exempt) {
  const auto index = static_cast<size_t>(kind);
  const size_t before = counts_[index].fetch_add(1);
  if (exempt || limits_[index] == 0 || before < limits_[index]) return {shared_from_this(), kind};
  counts_[index] -= 1;
  return {};
}

InFlight::Kind in_flight_kind(api::Verb verb) {
  const bool reads =
      verb == api::Verb::kGet || verb == api::Verb::kList || verb == api::Verb::kWatch;
  return reads ? InFlight::Kind::kReadOnly : InFlight::Kind::kMutating;
}

bool is_master(const User& user) { return user.in_group("system:masters"); }

bool is_exempt(const Request& request) {
  if (is_master(*request.user)) return true;
  if (in_flight::is_leader_lease(request)) return in_flight::is_candidate(*request.user);
  return in_flight::is_heartbeat(request) && request.user->in_group("system:nodes");
}

}  // namespace proa::apiserver
