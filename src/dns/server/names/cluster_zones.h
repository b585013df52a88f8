#pragma once

#include <vector>

#include "dns/cluster/zone.h"
#include "dns/config/settings.h"

namespace proa::dns {

// Which reverse zones the cluster answers, and in which zones others are asked for the names that
// it does not have. Constant.
class ClusterZones {
 public:
  explicit ClusterZones(const ClusterSettings& settings);

  // The longest one with that name; null: it is not the cluster's.
  const Zone* reverse_of(NameView name) const;
  // Whether somebody else may have a name that does not exist here.
  bool passes_on(NameView name) const;

 private:
  std::vector<Zone> reverse_;
  std::vector<Name> fallthrough_;
};

}  // namespace proa::dns
