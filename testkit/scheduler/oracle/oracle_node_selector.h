#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit::oracle {

// One of a NodeSelectorTerm's expressions or fields.
struct NodeRequirement {
  std::string key = {};
  std::string op = {};
  std::vector<std::string> values = {};
};

struct NodeTerm {
  std::vector<NodeRequirement> expressions = {};  // about labels
  std::vector<NodeRequirement> fields = {};

  bool empty() const { return expressions.empty() && fields.empty(); }
  // Upstream takes no part of a term that it cannot read.
  bool valid() const;
  // REQUIRES: valid(). Fields are not looked at for a node without a name.
  bool matches(View labels, std::string_view node_name) const;
};

NodeTerm read_node_term(View term);
std::vector<NodeTerm> read_node_terms(View node_selector);
// At least one of them matches; none that is empty or not valid does.
bool any_matches(const std::vector<NodeTerm>& terms, View labels, std::string_view node_name);

// The nodeSelector and the required node affinity of a pod.
class RequiredNodeAffinity {
 public:
  explicit RequiredNodeAffinity(const Pod& pod);
  bool matches(const Node& node) const;

 private:
  View node_selector_;
  bool has_terms_;
  std::vector<NodeTerm> terms_;
};

Prepared prepare_node_affinity(const Question& question);
Scores score_node_affinity(const Question& question, const Nodes& nodes);

}  // namespace proa::testkit::oracle
