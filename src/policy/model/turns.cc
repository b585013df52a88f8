#include "policy/model/turns.h"

#include <algorithm>
#include <utility>

namespace proa::policy {
namespace turns {

constexpr size_t kLarge = 1000;
constexpr size_t kSelector = 50;  // a set of many pods, perhaps

size_t size_of(const Peer& peer) {
  const auto* block = std::get_if<AddressPeer>(&peer);
  return block != nullptr ? 1 + block->except.size() : kSelector;
}

}  // namespace turns

bool is_large(const PolicyFacts& facts) {
  size_t size = 0;
  for (const Direction direction : kDirections) {
    for (const Allowance& allowance : facts.allowances(direction)) {
      size += 1 + allowance.ports.size();
      for (const Peer& peer : allowance.peers) size += turns::size_of(peer);
    }
  }
  return size > turns::kLarge;
}

std::optional<Steady> Turns::take(const std::string& name_space, Steady now) {
  const auto rest = rests_.find(name_space);
  if (rest != rests_.end() && rest->second > now) return rest->second;
  taken_.insert(name_space);
  return std::nullopt;
}

void Turns::written(Steady begin, Steady end) {
  std::erase_if(rests_, [&](const auto& rest) { return rest.second <= end; });
  const std::set<std::string> taken = std::exchange(taken_, {});
  const Duration spent = end - begin;
  if (spent < kLong) return;
  for (const std::string& name : taken) rests_[name] = end + std::min(spent * kRest, kLongest);
}

}  // namespace proa::policy
