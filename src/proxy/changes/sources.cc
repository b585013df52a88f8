#include "proxy/changes/sources.h"

#include "base/check.h"
#include "proxy/objects/service_state.h"

namespace proa::proxy {
namespace sources {

constexpr const char* kByService = "service";

client::Selector selector(const api::Schema& schema, std::string_view group, std::string_view name,
                          std::string labels, std::string fields) {
  const api::Resource* resource = schema.find_resource(group, "v1", name);
  CHECK(resource != nullptr);
  return {.place = {.resource = resource, .name_space = {}, .name = {}, .subresource = {}},
          .labels = std::move(labels),
          .fields = std::move(fields)};
}

client::Key service_key(const api::Object& slice) {
  return {.name_space = std::string(slice.metadata().name_space),
          .name = std::string(service_of_slice(slice))};
}

}  // namespace sources

Sources::Sources(Context context)
    : context_(std::move(context)),
      services_(
          context_.client, context_.clock, context_.random,
          sources::selector(context_.schema, "", "services", std::string(kForeignLabels), {})),
      slices_(context_.client, context_.clock, context_.random,
              sources::selector(context_.schema, "discovery.k8s.io", "endpointslices",
                                std::string(kForeignLabels), {})),
      node_(context_.client, context_.clock, context_.random,
            sources::selector(context_.schema, "", "nodes", {},
                              "metadata.name=" + context_.node_name)),
      service_cidrs_(
          context_.client, context_.clock, context_.random,
          sources::selector(context_.schema, "networking.k8s.io", "servicecidrs", {}, {})),
      followed_{client::Followed(services_, context_.wake),
                client::Followed(slices_, context_.wake),
                client::Followed(node_, [this] { node_changed(); }),
                client::Followed(service_cidrs_, [this] { node_changed(); })} {
  slices_.add_index(sources::kByService, [](const api::Object& slice) {
    return std::vector<std::string>{sources::service_key(slice).str()};
  });
  services_.add_handler([this](const client::Change& change) { service_changed(change); });
  slices_.add_handler([this](const client::Change& change) { slice_changed(change); });
  node_.add_handler([this](const client::Change&) { node_changed(); });
  service_cidrs_.add_handler([this](const client::Change&) { node_changed(); });
}

void Sources::join(Poller& poller) {
  for (client::Followed& followed : followed_) poller.add(followed);
}

void Sources::poll() {
  for (client::Followed& followed : followed_) followed.poll();
}

bool Sources::synced() const { return services_.synced() && slices_.synced() && node_.synced(); }

Sources::News Sources::take() {
  MutexLock lock(mutex_);
  pending_services_ = pending_slices_ = 0;
  context_.metrics.service_changes_pending.set(0);
  context_.metrics.endpoint_changes_pending.set(0);
  return std::exchange(news_, {});
}

std::vector<client::Key> Sources::services() const {
  std::vector<client::Key> keys;
  for (const api::ObjectPtr& service : services_.cache().list()) {
    keys.push_back(client::Key::of(*service));
  }
  return keys;
}

std::vector<api::ObjectPtr> Sources::slices_of(const client::Key& service) const {
  return slices_.cache().find(sources::kByService, service.str());
}

api::ObjectPtr Sources::node() const {
  return node_.cache().get({.name_space = {}, .name = context_.node_name});
}

void Sources::service_changed(const client::Change& change) {
  {
    MutexLock lock(mutex_);
    news_.services.insert(change.key);
    context_.metrics.service_changes.add();
    context_.metrics.service_changes_pending.set(static_cast<int64_t>(++pending_services_));
  }
  context_.wake();
}

void Sources::slice_changed(const client::Change& change) {
  {
    MutexLock lock(mutex_);
    for (const api::ObjectPtr& slice : {change.before, change.after}) {
      if (slice != nullptr) news_.services.insert(sources::service_key(*slice));
    }
    context_.metrics.endpoint_changes.add();
    context_.metrics.endpoint_changes_pending.set(static_cast<int64_t>(++pending_slices_));
  }
  context_.wake();
}

void Sources::node_changed() {
  {
    MutexLock lock(mutex_);
    news_.node = true;
  }
  context_.wake();
}

}  // namespace proa::proxy
