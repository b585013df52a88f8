#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/threads/shared_mutex.h"
#include "dns/cluster/index.h"
#include "dns/cluster/zone.h"
#include "dns/message/writer.h"

namespace proa::dns {

// The cluster as a node knows it: informers write, listeners read.
struct ClusterState {
  explicit ClusterState(Zone zone_of_cluster, uint32_t seed = kHashBasis)
      : index(seed), zone(std::move(zone_of_cluster)) {}

  mutable SharedMutex mutex;
  Index index GUARDED_BY(mutex);
  Zone zone GUARDED_BY(mutex);
};

enum class Outcome : uint8_t {
  kNotOurs,    // somebody else answers; nothing was written
  kAnswer,     // records were written
  kNoData,     // the name exists, but has no such record
  kNameError,  // NXDOMAIN
  kNotReady,   // the cluster is not known yet: SERVFAIL
  kRefused,    // transfers of the zone
  kExternal,   // CNAMEs were written that lead to `external`, a name outside of the cluster
};

struct LookupRequest {
  const Question& question;
  uint32_t rotation = 0;  // which of several addresses comes first
  // If it is not null, gets a sentence for each step of the decision.
  std::vector<std::string>* reasons = nullptr;
};

// Answers a question by the Kubernetes DNS specification 1.1.0, and where that leaves something
// open, as CoreDNS does. Writes the records behind the question that `writer` has already; with
// kNoData and kNameError, the zone's SOA. Touches nothing else, allocates nothing without
// `reasons`.
Outcome lookup(const Index& index, const Zone& zone, const LookupRequest& request, Writer& writer,
               Name& external);

}  // namespace proa::dns
