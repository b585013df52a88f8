#include "controllers/node/ipam.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/object/edit.h"
#include "base/log.h"
#include "base/strings.h"
#include "controllers/framework/writes.h"
#include "controllers/node/cidr_set.h"
#include "controllers/node/node_events.h"
#include "controllers/node/node_facts.h"
#include "json/print.h"

namespace proa::controllers {
namespace nodes::ipam {

using api::ObjectPtr;
using client::Again;
using client::Key;

const Log kLog{"controllers"};

using Pieces = std::vector<std::string>;  // one per cluster CIDR

std::vector<CidrSet> networks_of(const ControllerOptions& options) {
  if (options.cluster_cidr.empty()) return {};
  std::optional<std::vector<CidrSet>> networks =
      parse_cidr_sets(options.cluster_cidr, static_cast<unsigned>(options.node_cidr_mask_size));
  if (!networks) {
    kLog.error("cluster CIDR cannot be split into node CIDRs",
               {{"networks", options.cluster_cidr}, {"bits", options.node_cidr_mask_size}});
    return {};
  }
  for (const std::string_view text : split(options.service_cidr, ',')) {
    const std::optional<IpPrefix> services = parse_prefix(trim(text));
    if (!services) continue;
    for (CidrSet& network : *networks) network.exclude(*services);
  }
  return std::move(*networks);
}

json::Document patch_of(const Pieces& pieces) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit spec = api::Edit(document).object("spec");
  spec.set("podCIDR", pieces.front());
  const api::Edit list = spec.array("podCIDRs");
  for (const std::string& piece : pieces) list.push(json::Value::string(list.arena(), piece));
  return document;
}

// Allocations are read from the nodes at start and tracked from then on. An allocation is kept
// while the node exists, so that a write with unknown outcome cannot assign a CIDR twice.
class NodeIpam final : public Controller {
 public:
  explicit NodeIpam(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        resource_(*context.schema.find_resource("", "v1", "nodes")),
        nodes_(context.informers.of("", "nodes")),
        networks_(networks_of(context.options)) {}

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    nodes_.add_handler([&queue](const client::Change& change) {
      if (is_news(change)) queue.add(change.key);
    });
  }

  void caches_filled() override {
    MutexLock lock(mutex_);
    for (const ObjectPtr& node : nodes_.cache().list()) {
      hold(std::string(node->metadata().name), node_facts(*node).pod_cidrs);
    }
  }

  Result<Again> reconcile(const Key& key) override {
    const ObjectPtr node = nodes_.cache().get(key);
    if (node == nullptr) {
      let_go(key.name);
      return Again{};
    }
    if (node->metadata().being_deleted) return Again{};
    const Pieces& has = node_facts(*node).pod_cidrs;
    if (!has.empty()) {
      MutexLock lock(mutex_);
      hold(key.name, has);
      return Again{};
    }
    const std::optional<Pieces> pieces = promise(key.name);
    if (!pieces) {
      tell_status_of_node(events_, *node, "CIDRNotAvailable");
      return Status(Reason::kServiceUnavailable, "no pod CIDR is available for this node");
    }
    if (pieces->empty()) return Again{};
    return assign(key, *node, *pieces);
  }

 private:
  static bool is_news(const client::Change& change) {
    if (change.before == nullptr || change.after == nullptr) return true;
    return node_facts(*change.before).pod_cidrs != node_facts(*change.after).pod_cidrs;
  }

  // Records the CIDRs of a node, replacing others.
  void hold(const std::string& node, const Pieces& pieces) REQUIRES(mutex_) {
    if (pieces.empty()) return;
    Pieces& held = held_[node];
    if (held == pieces) return;
    give_back(std::exchange(held, pieces));
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (i < networks_.size() && networks_[i].occupy(pieces[i])) continue;
      kLog.warn("node has a pod CIDR outside of the cluster CIDR",
                {{"node", node}, {"network", pieces[i]}});
    }
  }

  // The node's allocation, existing or new; nullopt if none is left. Empty if the cluster has no
  // CIDR.
  std::optional<Pieces> promise(const std::string& node) {
    MutexLock lock(mutex_);
    if (const auto found = held_.find(node); found != held_.end()) return found->second;
    Pieces pieces;
    for (CidrSet& network : networks_) {
      std::optional<std::string> piece = network.take();
      if (!piece) {
        give_back(pieces);
        without_.insert(node);
        return std::nullopt;
      }
      pieces.push_back(std::move(*piece));
    }
    if (!pieces.empty()) held_[node] = pieces;
    without_.erase(node);
    return pieces;
  }

  // REQUIRES: the former holder is removed from held_.
  void give_back(const Pieces& pieces) REQUIRES(mutex_) {
    for (size_t i = 0; i < std::min(pieces.size(), networks_.size()); ++i) {
      if (!is_held(pieces[i])) networks_[i].give_back(pieces[i]);
    }
  }

  // Users may assign one CIDR to two nodes.
  bool is_held(const std::string& piece) const REQUIRES(mutex_) {
    return std::any_of(held_.begin(), held_.end(), [&](const auto& one) {
      return std::find(one.second.begin(), one.second.end(), piece) != one.second.end();
    });
  }

  // The node is deleted: its CIDRs become available to waiting nodes.
  void let_go(const std::string& node) {
    std::set<std::string> without;
    {
      MutexLock lock(mutex_);
      without_.erase(node);
      const auto found = held_.find(node);
      if (found == held_.end()) return;
      const Pieces pieces = std::move(found->second);
      held_.erase(found);
      give_back(pieces);
      without = without_;
    }
    for (const std::string& other : without) queue_->add({"", other});
  }

  Result<Again> assign(const Key& key, const api::Object& node, const Pieces& pieces) {
    const Result<ObjectPtr> written =
        client_.patch(place_of(resource_, key), api::PatchType::kMerge, patch_of(pieces), {});
    if (written || written.is(Reason::kNotFound)) return Again{};
    tell_status_of_node(events_, node, "CIDRAssignmentFailed");
    return written.status();
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& resource_;
  client::Informer& nodes_;
  client::WorkQueue* queue_ = nullptr;  // for nodes that wait for a CIDR
  Mutex mutex_;
  std::vector<CidrSet> networks_ GUARDED_BY(mutex_);
  std::map<std::string, Pieces> held_ GUARDED_BY(mutex_);  // by node; perhaps not written yet
  std::set<std::string> without_ GUARDED_BY(mutex_);       // nodes that wait for a CIDR
};

}  // namespace nodes::ipam

std::unique_ptr<Controller> make_node_ipam_controller(const ControllerContext& context) {
  return std::make_unique<nodes::ipam::NodeIpam>(context);
}

}  // namespace proa::controllers
