#pragma once

#include <string>

#include "base/random.h"
#include "client/leader/election.h"

namespace proa::cli {

// The name of this machine; empty if it has none.
std::string host_name();

// This process in leader elections, named "host_uid": different from all other processes, also from
// earlier ones on this machine.
client::Candidate unique_candidate(Random& random);

// A server with its own store in leader elections, named "host_storeid": the same at every start,
// and after a restore. Only one process can have a store open, and its leases are in that store: a
// holder with the same store id, on whatever host, was an earlier server of this store or of the
// one that it is a copy of, and is gone. Its lease is taken over at once. REQUIRES: the store is
// open in this process, and no other process can open it.
client::Candidate candidate_of_store(const std::string& store_id);

}  // namespace proa::cli
