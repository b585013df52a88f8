#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "api/selector/label_selector.h"
#include "json/value.h"
#include "testkit/scheduler/test_cluster.h"

namespace proa::testkit::oracle {

using api::View;

struct Pod {
  View object = {};
  std::string_view name = {};
  std::string_view name_space = {};
  std::string_view uid = {};
  View labels = {};
  View spec = {};
  View status = {};
  bool being_deleted = false;
};

struct Node {
  View object = {};
  std::string_view name = {};
  View labels = {};
  View spec = {};
  View status = {};
  std::vector<const Pod*> pods = {};  // that count: bound, and neither succeeded nor failed
};

// The documents of a cluster, indexed. Views point into it.
class World {
  std::deque<json::Document> documents_ = {};  // first: all others are views into it
  std::deque<Pod> pods_ = {};

 public:
  explicit World(const TestCluster& cluster);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Also keeps the pod's document.
  const Pod& add_pod(const api::Object& pod);

  using Named = std::map<std::string, View, std::less<>>;

  std::deque<Node> nodes = {};
  // By name, or by "namespace/name".
  Named namespaces = {};
  Named replication_controllers = {};
  Named replica_sets = {};
  Named stateful_sets = {};
  Named claims = {};
  Named volumes = {};
  Named storage_classes = {};
  Named csi_nodes = {};
  Named csi_drivers = {};
  std::vector<View> volume_list = {};
  std::vector<View> services = {};
  std::vector<View> csi_capacities = {};
  std::vector<View> volume_attachments = {};

 private:
  View keep(const api::Object& object);
  Named by_name(const std::vector<api::ObjectPtr>& objects);
  std::vector<View> in_order(const std::vector<api::ObjectPtr>& objects);
};

std::string key_of(std::string_view name_space, std::string_view name);
// Absent if there is none.
View find(const World::Named& objects, std::string_view key);

// Required labels, and an API selector that must match.
struct Selector {
  std::map<std::string, std::string, std::less<>> pairs = {};
  api::LabelSelector rest = {};

  bool matches(View labels) const;
  // Matches everything.
  bool empty() const { return pairs.empty() && rest.matches_everything(); }
};

// The input of plugins.
struct Question {
  const World& world;
  const Pod& pod;
};

struct Rejection {
  std::vector<std::string> reasons = {};
  bool preemption_may_help = false;
  std::string error = {};  // not a rejection: the plugin failed
};

// Nullopt if the pod may run there.
using Filter = std::function<std::optional<Rejection>(const Node&)>;

// The result of a PreFilter. REQUIRES: `question` outlives the filter.
struct Prepared {
  Filter filter = {};  // none: Filter is skipped
  std::optional<Rejection> rejection = {};
  std::optional<std::set<std::string, std::less<>>> only_nodes = {};
};

using Nodes = std::vector<const Node*>;

struct Scores {
  bool skipped = false;
  std::vector<int64_t> points = {};  // of the given nodes, normalized
  std::string error = {};
};

inline constexpr int64_t kMaxScore = 100;

// Scales the largest to kMaxScore, rounding down; or inverts the scale.
void normalize(std::vector<int64_t>& points, bool reverse);

}  // namespace proa::testkit::oracle
