#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "base/clock.h"
#include "client/client.h"
#include "json/value.h"
#include "policy/explain/cluster.h"

namespace proa::policy {

// One way that a connection may take: a Service has one for each endpoint.
struct ConnectionPath {
  std::string destination;
  std::string service;  // the rule that chose it; empty: none
  std::string egress;   // who decides at the caller
  std::string route;
  std::string ingress;  // who decides at the called
  bool allowed = false;
};

struct ConnectionExplanation {
  std::string from;
  std::string to;
  std::vector<ConnectionPath> paths = {};
  std::string refusal = {};  // why there is no way at all

  bool allowed() const;  // by all ways
};

// `target`: as read_target takes it. Pure.
Result<ConnectionExplanation> explain_connection(const Cluster& cluster, const client::Key& from,
                                                 std::string_view target, uint8_t protocol);

// What the API has. Read-only; takes as long as listing.
Result<Cluster> read_cluster(client::Client& client, const api::Schema& schema, const Until& until);

std::string show_text(const ConnectionExplanation& explanation);
json::Document show_json(const ConnectionExplanation& explanation);

}  // namespace proa::policy
