#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dns/cluster/lookup.h"
#include "dns/config/settings.h"

namespace proa::dns {

struct ExplainRequest {
  std::string_view name;  // or an address: then it is about the name of that address
  Type type = Type::kA;
  // Of the pod that asks: its resolver tries names with fewer than five dots below the cluster's
  // domains first.
  std::string_view name_space = "default";
};

// One name that a resolver tries.
struct ExplainedName {
  std::string name;  // with the dot at the end
  Type type = Type::kA;
  Outcome outcome = Outcome::kNotOurs;
  std::vector<std::string> reasons = {};
  std::vector<std::string> records = {};    // "web.default.svc.cluster.local. 30 A 10.96.0.5"
  std::vector<std::string> upstreams = {};  // that are asked; empty: none, or the host's
};

// What becomes of a name in a pod.
struct Explanation {
  std::vector<ExplainedName> names = {};  // in the order in which they are tried

  // Whether one of them has a name in the cluster, or may have one outside of it. Names of one
  // label are not looked for there.
  bool exists() const;
};

// Which record answers a name, and why: each name that a pod's resolver would try, until one
// exists. Goes the way of a query in Handler: rewriting, configured hosts, names of the cluster,
// the zones that are forwarded; but asks nobody. kInvalid if the name is none.
Result<Explanation> explain(const Index& index, const Zone& zone, const Settings& settings,
                            const ExplainRequest& request);

// "answered", "does not exist (NXDOMAIN)": for people.
std::string_view words_for(Outcome outcome);
std::string show_text(const Explanation& explanation);

}  // namespace proa::dns
