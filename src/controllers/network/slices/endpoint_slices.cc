#include "controllers/network/slices/endpoint_slices.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/strings.h"
#include "controllers/network/backend.h"
#include "controllers/network/service_pods.h"
#include "controllers/network/slices/slice_plan.h"
#include "controllers/network/slices/topology.h"
#include "controllers/network/trigger_times.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers {
namespace endpoint_slices {

using client::Again;
using client::Key;

// Stands for all nodes; no service has an empty name.
const Key kNodes{"", ""};

// The inputs of a service's endpoints, kept alive while plans point into them.
struct Sources {
  api::ObjectPtr service;
  std::vector<api::ObjectPtr> pods = {};   // eligible pods
  std::vector<api::ObjectPtr> nodes = {};  // node of each pod; null if unknown
  std::vector<std::string> missing = {};   // skipped pods and the reason
};

// Services with pods on unknown nodes. Thread-safe.
class MissingNodes {
 public:
  void add(const std::string& node, const Key& service) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    services_[node].insert(service);
  }
  // The node exists now.
  std::set<Key> take(const std::string& node) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = services_.find(node);
    if (found == services_.end()) return {};
    std::set<Key> services = std::move(found->second);
    services_.erase(found);
    return services;
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::set<Key>> services_ GUARDED_BY(mutex_);
};

class EndpointSliceController final : public Controller {
 public:
  explicit EndpointSliceController(const ControllerContext& context)
      : events_(context.events),
        services_(*context.schema.find_resource("", "v1", "services")),
        pods_(context),
        nodes_(context.informers.of("", "nodes")),
        slices_(context, kSliceManager, "Service") {}

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    pods_.listen(queue);
    slices_.listen(queue);
    nodes_.add_handler([this](const client::Change& change) { node_changed(change); });
  }

  void caches_filled() override { topology_.set_nodes(nodes_.cache().list()); }

  Result<Again> reconcile(const Key& key) override {
    if (key == kNodes) return divide_anew();
    const api::ObjectPtr service = pods_.service(key);
    if (service == nullptr) return forget(key);
    if (!service_facts(*service).has_endpoints()) return Again{};
    if (!slices_.is_fresh(key)) return kNotYet;
    const std::vector<api::ObjectPtr> pods = pods_.pods_of(*service);
    const std::optional<Time> trigger_time = trigger_times_.next(*service, pods);
    const Sources sources = sources_of(service, pods);
    const Result<void> written = bring_up_to_date(key, sources, trigger_time);
    return outcome_of(key, sources, written);
  }

 private:
  void node_changed(const client::Change& change) {
    if (change.before == nullptr) {
      for (const Key& service : missing_nodes_.take(change.key.name)) queue_->add(service);
    }
    if (change.before == nullptr || change.after == nullptr ||
        !is_same_capacity(*change.before, *change.after)) {
      queue_->add(kNodes);
    }
  }

  Result<Again> divide_anew() {
    topology_.set_nodes(nodes_.cache().list());
    for (const Key& service : topology_.overloaded()) queue_->add(service);
    return Again{};
  }

  // The garbage collector deletes its slices.
  Result<Again> forget(const Key& key) {
    trigger_times_.forget(key);
    topology_.forget(key);
    slices_.forget(key);
    return Again{};
  }

  Sources sources_of(const api::ObjectPtr& service, std::span<const api::ObjectPtr> pods) {
    Sources sources{.service = service};
    for (const api::ObjectPtr& pod : pods) {
      if (!is_backend(*pod)) continue;
      const std::string& name = pod_facts(*pod).node.str();
      api::ObjectPtr node = nodes_.cache().get({"", name});
      if (node == nullptr && !service_facts(*service).publish_not_ready) {
        const Key key = Key::of(*service);
        missing_nodes_.add(name, key);
        sources.missing.push_back(fmt::format("skipping Pod {} for Service {}: Node {} Not Found",
                                              pod->metadata().name, key.str(), name));
        continue;
      }
      sources.pods.push_back(pod);
      sources.nodes.push_back(std::move(node));
    }
    return sources;
  }

  Result<void> bring_up_to_date(const Key& key, const Sources& sources,
                                std::optional<Time> trigger_time) {
    const Topology::Ratios ratios = topology_.ratios();
    std::map<std::string, std::vector<api::ObjectPtr>> by_type;
    for (api::ObjectPtr& slice : slices_.slices_of(key)) {
      by_type[slice_facts(*slice).address_type].push_back(std::move(slice));
    }
    SliceWrites writes;
    for (const IpFamily family : service_facts(*sources.service).families) {
      const auto existing = by_type.extract(std::string(name_of(family)));
      SlicePlan plan(*sources.service, family,
                     existing ? existing.mapped() : std::vector<api::ObjectPtr>());
      for (size_t i = 0; i < sources.pods.size(); ++i) {
        plan.add(*sources.pods[i], sources.nodes[i].get());
      }
      const TopologyHints hints = plan.pack(*ratios);
      TRY(plan.add_writes({services_, *sources.service}, trigger_time, writes));
      note_hints(*sources.service, family, hints);
    }
    // Slices of address families that the service no longer has.
    for (auto& [type, slices] : by_type) {
      writes.remove.insert(writes.remove.end(), slices.begin(), slices.end());
    }
    return slices_.write(key, std::move(writes));
  }

  void note_hints(const api::Object& service, IpFamily family, const TopologyHints& hints) {
    const Key key = Key::of(service);
    const auto tell = [&](bool enabled, std::string_view what) {
      const client::ObjectReference about = client::ObjectReference::to(service);
      std::string message = fmt::format("{}, addressType: {}", what, name_of(family));
      if (enabled) {
        events_.normal(about, "TopologyAwareHintsEnabled", std::move(message));
      } else {
        events_.warning(about, "TopologyAwareHintsDisabled", std::move(message));
      }
    };
    if (!service_facts(service).topology_mode_auto) {
      if (topology_.undivided(key, family)) tell(false, "Topology Aware Hints has been disabled");
    } else if (!hints.problem.empty()) {
      if (topology_.is_news(key, family, hints.problem)) tell(false, hints.problem);
    } else if (topology_.divided(key, family, hints.by_zone)) {
      tell(true, "Topology Aware Hints has been enabled");
    }
  }

  // A pod on an unknown node is skipped, which is an error.
  Result<Again> outcome_of(const Key& key, const Sources& sources, const Result<void>& written) {
    std::vector<std::string> failures = sources.missing;
    if (!written) failures.push_back(written.status().message());
    if (failures.empty()) return Again{};
    const std::string all =
        failures.size() == 1 ? failures.front() : fmt::format("[{}]", join(failures, ", "));
    events_.warning(
        client::ObjectReference::to(*sources.service), "FailedToUpdateEndpointSlices",
        fmt::format("Error updating Endpoint Slices for Service {}: {}", key.str(), all));
    if (!written) return written.status();
    return Again{};  // the node's event requeues it
  }

  client::EventRecorder& events_;
  const api::Resource& services_;
  ServicePods pods_;
  client::Informer& nodes_;
  SliceWriter slices_;
  TriggerTimes trigger_times_;
  Topology topology_;
  MissingNodes missing_nodes_;
  client::WorkQueue* queue_ = nullptr;
};

}  // namespace endpoint_slices

std::unique_ptr<Controller> make_endpoint_slice_controller(const ControllerContext& context) {
  return std::make_unique<endpoint_slices::EndpointSliceController>(context);
}

}  // namespace proa::controllers
