#include "controllers/network/endpoints.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/network/backend.h"
#include "controllers/network/service_pods.h"
#include "controllers/network/subsets.h"
#include "controllers/network/trigger_times.h"
#include "controllers/pods/pod_facts.h"
#include "json/print.h"

namespace proa::controllers {
namespace endpoints {

using api::Edit;
using api::View;
using client::Again;
using client::Key;

constexpr size_t kMostAddresses = 1000;
constexpr const char* kManagedBy = "endpoints.kubernetes.io/managed-by";
constexpr const char* kName = "endpoint-controller";
constexpr const char* kHeadless = "service.kubernetes.io/headless";
constexpr const char* kOverCapacity = "endpoints.kubernetes.io/over-capacity";
// Old leader elections keep their records on Endpoints without a service.
constexpr const char* kLeader = "control-plane.alpha.kubernetes.io/leader";

using Labels = std::map<std::string_view, std::string_view>;

// The desired Endpoints. Points into the service and its pods.
struct Wanted {
  Labels labels = {};
  std::vector<EndpointSubset> subsets = {};
  bool truncated = false;
};

Labels labels_of(const api::Object& service) {
  Labels labels(service.metadata().labels.begin(), service.metadata().labels.end());
  labels.erase(kHeadless);
  if (!service_facts(service).has_cluster_ip) labels[kHeadless] = "";
  labels[kManagedBy] = kName;
  return labels;
}

void add_pod(const api::Object& pod, const api::Object& service, SubsetPacker& packer) {
  const ServiceFacts& facts = service_facts(service);
  const PodFacts& state = pod_facts(pod);
  if (!is_backend(pod) || (state.being_deleted && !facts.publish_not_ready)) return;
  const Backend& offers = backend(pod);
  const std::string* ip = offers.address_of(facts.families.front());
  if (ip == nullptr) return;
  EndpointAddress address{.ip = *ip,
                          .hostname = offers.hostname_in(service.metadata().name),
                          .node = state.node.view()};
  address.target = TargetReference{.kind = "Pod",
                                   .name_space = pod.metadata().name_space,
                                   .name = pod.metadata().name,
                                   .uid = pod.metadata().uid};
  const bool ready = state.ready || facts.publish_not_ready;
  if (facts.ports.empty() && facts.headless) packer.add(address, ready, nullptr);
  for (const ServicePort& port : facts.ports) {
    const std::optional<int64_t> number = offers.number_of(port);
    if (!number) continue;
    const EndpointPort there{.number = *number,
                             .name = port.name,
                             .protocol = port.protocol,
                             .app_protocol = port.app_protocol};
    packer.add(address, ready, &there);
  }
}

Wanted wanted_of(const api::Object& service, std::span<const api::ObjectPtr> pods) {
  SubsetPacker packer;
  for (const api::ObjectPtr& pod : pods) add_pod(*pod, service, packer);
  Wanted wanted{.labels = labels_of(service), .subsets = packer.pack()};
  wanted.truncated = truncate(wanted.subsets, kMostAddresses);
  return wanted;
}

bool is_as_wanted(const api::Object& object, View document, const Wanted& wanted) {
  const api::Metadata& metadata = object.metadata();
  if (Labels(metadata.labels.begin(), metadata.labels.end()) != wanted.labels) return false;
  const View mark = document["metadata"]["annotations"][kOverCapacity];
  if (mark.exists() != wanted.truncated) return false;
  const std::vector<EndpointSubset> subsets = read_subsets(document["subsets"]);
  // Another controller may have written the same in another order.
  return subsets == wanted.subsets || repack(subsets) == wanted.subsets;
}

void put(Edit object, const Wanted& wanted, std::optional<Time> trigger_time) {
  const Edit metadata = object.object("metadata");
  metadata.remove("labels");
  const Edit labels = metadata.object("labels");
  for (const auto& [key, value] : wanted.labels) labels.set(key, value);
  const Edit annotations = metadata.object("annotations");
  annotations.remove(kTriggerTimeAnnotation);
  annotations.remove(kOverCapacity);
  if (trigger_time) annotations.set(kTriggerTimeAnnotation, format_time(*trigger_time));
  if (wanted.truncated) annotations.set(kOverCapacity, "truncated");
  if (annotations.view().empty()) metadata.remove("annotations");
  write_subsets(object, wanted.subsets);
}

class EndpointsController final : public Controller {
 public:
  explicit EndpointsController(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        resource_(*context.schema.find_resource("", "v1", "endpoints")),
        pods_(context),
        informer_(context.informers.of("", "endpoints")),
        written_(informer_) {}

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    pods_.listen(queue);
    informer_.add_handler([&queue](const client::Change& change) {
      // Endpoints created by users are left alone; their service may follow.
      if (change.after == nullptr || is_ours(*change.after)) queue.add(change.key);
    });
  }

  // Services that were deleted while no leader was active.
  void caches_filled() override {
    for (const api::ObjectPtr& object : informer_.cache().list()) {
      const Key key = Key::of(*object);
      if (pods_.service(key) == nullptr) queue_->add(key);
    }
  }

  Result<Again> reconcile(const Key& key) override {
    if (!written_.is_fresh(key)) return kNotYet;
    const api::ObjectPtr service = pods_.service(key);
    if (service == nullptr) return remove(key);
    // Without a selector, users manage the Endpoints.
    if (!service_facts(*service).has_endpoints()) return Again{};
    const std::vector<api::ObjectPtr> pods = pods_.pods_of(*service);
    const std::optional<Time> trigger_time = trigger_times_.next(*service, pods);
    const Wanted wanted = wanted_of(*service, pods);
    const api::ObjectPtr found = informer_.cache().get(key);
    if (found == nullptr) return create(key, wanted, trigger_time);
    json::Document document = TRY(found->document());
    if (is_as_wanted(*found, document.root(), wanted)) return Again{};
    put(Edit(document), wanted, trigger_time);
    const Result<api::ObjectPtr> updated =
        client_.update(place_of(resource_, key), std::move(document), {});
    if (updated) {
      written_.wrote(key, **updated);
      return Again{};
    }
    written_.failed(key, updated.status());
    tell(key, "FailedToUpdateEndpoint",
         fmt::format("Failed to update endpoint {}: {}", key.str(), updated.status().message()));
    return updated.status();
  }

 private:
  static bool is_ours(const api::Object& object) {
    const std::string_view* manager = object.metadata().label(kManagedBy);
    return manager != nullptr && *manager == kName;
  }

  Result<Again> create(const Key& key, const Wanted& wanted, std::optional<Time> trigger_time) {
    json::Document document(json::Arena(), json::Value::object());
    const Edit object(document);
    object.object("metadata").set("name", key.name);
    put(object, wanted, trigger_time);
    client::Place place = place_of(resource_, key);
    place.name.clear();
    const Result<api::ObjectPtr> created = client_.create(place, std::move(document), {});
    if (created) {
      written_.wrote(key, **created);
      return Again{};
    }
    if (is_namespace_terminating(created.status())) return Again{};
    written_.failed(key, created.status());
    tell(key, "FailedToCreateEndpoint",
         fmt::format("Failed to create endpoint for service {}: {}", key.str(),
                     created.status().message()));
    return created.status();
  }

  Result<Again> remove(const Key& key) {
    trigger_times_.forget(key);
    const api::ObjectPtr found = informer_.cache().get(key);
    if (found == nullptr) return Again{};
    const json::Document document = TRY(found->document());
    if (View(document.root())["metadata"]["annotations"][kLeader]) return Again{};
    TRY(unless_gone(
        client_.remove(place_of(resource_, key), {.uid = std::string(found->metadata().uid)})));
    return Again{};
  }

  void tell(const Key& key, std::string_view reason, std::string message) {
    client::ObjectReference about;
    about.api_version = "v1";
    about.kind = "Endpoints";
    about.name_space = key.name_space;
    about.name = key.name;
    events_.warning(about, reason, std::move(message));
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& resource_;
  ServicePods pods_;
  client::Informer& informer_;
  Freshness written_;
  TriggerTimes trigger_times_;
  client::WorkQueue* queue_ = nullptr;
};

}  // namespace endpoints

std::unique_ptr<Controller> make_endpoints_controller(const ControllerContext& context) {
  return std::make_unique<endpoints::EndpointsController>(context);
}

}  // namespace proa::controllers
