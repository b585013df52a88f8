#include "controllers/lifecycle/api_services/availability_controller.h"

#include <algorithm>

#include "base/log.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/lifecycle/api_services/availability.h"

namespace proa::controllers {
namespace availability_controller {

using api::Edit;
using api::ObjectPtr;
using api::View;
using api_services::ServiceReference;
using client::Again;
using client::Key;

const Log kLog{"aggregation"};
constexpr std::string_view kGroup = "apiregistration.k8s.io";
constexpr std::string_view kServiceName = "kubernetes.io/service-name";
// APIServices by their Service.
constexpr std::string_view kByService = "service";
// Upstream's resync period, and its longest back-off.
constexpr Duration kCheckInterval = std::chrono::seconds(30);
constexpr Duration kFirstRetry = std::chrono::seconds(1);

std::vector<std::string> service_of(const api::Object& object) {
  const Result<json::Document> document = object.document();
  if (!document) return {};
  const View service = View(document->root())["spec"]["service"];
  if (!service) return {};
  return {ServiceReference::read(service).key()};
}

// The longer it has failed, the later it is asked again.
Duration next_check(View status, Time now) {
  const View condition = find_condition(status, "Available");
  if (condition["status"].text() == "True") return kCheckInterval;
  const Result<Time> since = parse_time(condition["lastTransitionTime"].text());
  const Duration failed = since ? now - *since : Duration::zero();
  return std::clamp<Duration>(failed, kFirstRetry, kCheckInterval);
}

class AvailabilityController final : public Controller {
 public:
  explicit AvailabilityController(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        probe_(context.options.probe_api_service),
        resource_(*context.schema.find_resource(kGroup, "v1", "apiservices")),
        api_services_(context.informers.of(kGroup, "apiservices")),
        services_(context.informers.of("", "services")),
        slices_(context.informers.of("discovery.k8s.io", "endpointslices")),
        freshness_(api_services_) {
    api_services_.add_index(std::string(kByService), service_of);
  }

  // Keys are names of APIServices.
  void listen(client::WorkQueue& queue) override {
    api_services_.add_handler([&queue](const client::Change& change) { queue.add(change.key); });
    services_.add_handler([this, &queue](const client::Change& change) {
      add_users(change.key.name_space, change.key.name, queue);
    });
    slices_.add_handler([this, &queue](const client::Change& change) {
      for (const ObjectPtr& slice : {change.before, change.after}) {
        if (slice == nullptr) continue;
        const std::string_view* service = slice->metadata().label(kServiceName);
        if (service != nullptr) add_users(change.key.name_space, *service, queue);
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const ObjectPtr object = api_services_.cache().get(key);
    if (object == nullptr) {
      freshness_.forget(key);
      return Again{};
    }
    json::Document document = TRY(object->document());
    const View service = View(document.root())["spec"]["service"];
    const bool is_remote = service.exists();
    Condition wanted = api_services::local_availability();
    if (is_remote) wanted = TRY(check(key, ServiceReference::read(service)));
    const Edit status = Edit(document).object("status");
    const bool changed = set_condition(status, wanted, clock_.now());
    const Again again{is_remote ? next_check(status.view(), clock_.now()) : Duration::zero()};
    if (!changed) return again;
    kLog.info("availability of an APIService changed", {{"name", key.name},
                                                        {"status", wanted.status},
                                                        {"reason", wanted.reason},
                                                        {"message", wanted.message}});
    const Result<ObjectPtr> written =
        client_.update(place_of(resource_, key, "status"), std::move(document), {});
    freshness_.tried(key, written);
    // Changed meanwhile: the event is on its way.
    if (written.is(Reason::kConflict)) return kNotYet;
    TRY(unless_gone(written));
    return again;
  }

 private:
  void add_users(std::string_view name_space, std::string_view service,
                 client::WorkQueue& queue) const {
    std::string value(name_space);
    value.append("/").append(service);
    for (const ObjectPtr& user : api_services_.cache().find(kByService, value)) {
      queue.add(Key::of(*user));
    }
  }

  Result<Condition> check(const Key& key, const ServiceReference& reference) const {
    json::Document service;
    const ObjectPtr found =
        services_.cache().get({.name_space = reference.name_space, .name = reference.name});
    if (found != nullptr) service = TRY(found->document());
    std::vector<json::Document> documents;
    for (const ObjectPtr& slice : slices_.cache().list(reference.name_space)) {
      const std::string_view* of = slice->metadata().label(kServiceName);
      if (of == nullptr || *of != reference.name) continue;
      json::Document document = TRY(slice->document());
      documents.push_back(std::move(document));
    }
    std::vector<View> slices;
    for (const json::Document& document : documents) slices.emplace_back(document.root());
    return api_services::remote_availability(
        reference, found == nullptr ? View() : View(service.root()), slices,
        [&] { return probe_ ? probe_(key.name) : Result<void>(); });
  }

  const client::BoundedClient client_;
  Clock& clock_;
  const std::function<Result<void>(std::string_view name)> probe_;
  const api::Resource& resource_;
  client::Informer& api_services_;
  client::Informer& services_;
  client::Informer& slices_;
  Freshness freshness_;
};

}  // namespace availability_controller

std::unique_ptr<Controller> make_api_service_availability_controller(
    const ControllerContext& context) {
  return std::make_unique<availability_controller::AvailabilityController>(context);
}

}  // namespace proa::controllers
