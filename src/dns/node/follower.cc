#include "dns/node/follower.h"

#include "api/object/view.h"
#include "base/check.h"
#include "dns/config/config_map.h"

namespace proa::dns {
namespace follower {

// prometheus.ExponentialBuckets(0.001, 2, 20)
constexpr std::array<double, 20> kBounds = {0.001,  0.002,  0.004,  0.008,   0.016,   0.032,  0.064,
                                            0.128,  0.256,  0.512,  1.024,   2.048,   4.096,  8.192,
                                            16.384, 32.768, 65.536, 131.072, 262.144, 524.288};
constexpr MetricFamily kProgramming{
    .name = "coredns_kubernetes_dns_programming_duration_seconds",
    .help = "Histogram of the time (in seconds) it took to program a dns instance.",
    .kind = MetricKind::kHistogram,
    .labels = {"service_kind"},
    .bounds = kBounds};

client::Selector selector(const api::Schema& schema, std::string_view group, std::string_view name,
                          std::string_view name_space = {}, std::string fields = {}) {
  const api::Resource* resource = schema.find_resource(group, "v1", name);
  CHECK(resource != nullptr);
  return {.place = {.resource = resource,
                    .name_space = std::string(name_space),
                    .name = {},
                    .subresource = {}},
          .labels = {},
          .fields = std::move(fields)};
}

}  // namespace follower

Follower::Follower(Context context)
    : context_(std::move(context)),
      programming_(context_.metrics.histogram(follower::kProgramming, {"headless_with_selector"})),
      services_(context_.client, context_.clock, context_.random,
                follower::selector(context_.schema, "", "services")),
      slices_(context_.client, context_.clock, context_.random,
              follower::selector(context_.schema, "discovery.k8s.io", "endpointslices")),
      namespaces_(context_.client, context_.clock, context_.random,
                  follower::selector(context_.schema, "", "namespaces")),
      config_(context_.client, context_.clock, context_.random,
              follower::selector(context_.schema, "", "configmaps", kConfigMapNamespace,
                                 "metadata.name=" + std::string(kConfigMapName))),
      node_(context_.client, context_.clock, context_.random,
            follower::selector(context_.schema, "", "nodes", {}, "metadata.name=" + context_.node)),
      followed_{client::Followed(services_, [this] { one_synced(); }),
                client::Followed(slices_, [this] { one_synced(); }),
                client::Followed(namespaces_, [this] { one_synced(); }),
                client::Followed(config_, [] {}), client::Followed(node_, [] {})} {
  services_.add_handler([this](const client::Change& change) { service_changed(change); });
  slices_.add_handler([this](const client::Change& change) { slice_changed(change); });
  namespaces_.add_handler([this](const client::Change& change) { namespace_changed(change); });
  config_.add_handler([this](const client::Change& change) { config_changed(change); });
  node_.add_handler([this](const client::Change& change) { node_changed(change); });
}

void Follower::join(Poller& poller) {
  for (client::Followed& followed : followed_) poller.add(followed);
}

bool Follower::synced() const {
  return services_.synced() && slices_.synced() && namespaces_.synced();
}

void Follower::one_synced() {
  if (!synced()) return;
  WriterLock lock(context_.cluster.mutex);
  context_.cluster.index.set_synced();
}

void Follower::touch(Index& index) const {
  const auto since = context_.clock.now().time_since_epoch();
  index.set_serial(
      static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(since).count()));
}

void Follower::service_changed(const client::Change& change) {
  std::optional<ServiceFacts> facts;
  if (change.after != nullptr) facts = read_service(*change.after);
  WriterLock lock(context_.cluster.mutex);
  Index& index = context_.cluster.index;
  if (index.set_service(change.key.name_space, change.key.name, std::move(facts))) touch(index);
}

void Follower::slice_changed(const client::Change& change) {
  std::optional<SliceFacts> facts;
  if (change.after != nullptr) facts = read_slice(*change.after);
  const auto owner = [](const api::ObjectPtr& slice) {
    return slice == nullptr ? std::string_view() : service_of(*slice);
  };
  const std::string_view before = owner(change.before);
  const std::string_view after = owner(change.after);
  const std::string& name_space = change.key.name_space;
  bool changed = false;
  bool headless = false;
  {
    WriterLock lock(context_.cluster.mutex);
    Index& index = context_.cluster.index;
    if (!before.empty() && before != after) {
      changed = index.set_slice(name_space, before, change.key.name, std::nullopt);
    }
    if (!after.empty()) {
      changed |= index.set_slice(name_space, after, change.key.name, std::move(facts));
      const ServiceEntry* entry = index.find(name_space, after);
      headless = entry != nullptr && entry->facts->kind == ServiceFacts::Kind::kHeadless;
    }
    if (changed) touch(index);
  }
  if (changed && headless && change.after != nullptr && slices_.synced()) {
    measure(*change.after, headless);
  }
}

void Follower::measure(const api::Object& slice, bool headless) const {
  const auto trigger = trigger_of(slice);
  if (!headless || !trigger) return;
  const std::chrono::duration<double> took = context_.clock.now() - *trigger;
  programming_.observe(std::max(took.count(), 0.0));
}

void Follower::namespace_changed(const client::Change& change) {
  WriterLock lock(context_.cluster.mutex);
  Index& index = context_.cluster.index;
  if (index.set_namespace(change.key.name, change.after != nullptr)) touch(index);
}

void Follower::config_changed(const client::Change& change) {
  ConfigData data;
  if (change.after != nullptr) {
    const auto document = change.after->document();
    if (!document.ok()) return;
    for (const json::Member& member : api::View(document->root())["data"].members()) {
      data.emplace(std::string(member.key), std::string(api::View(member.value).text()));
    }
  }
  const std::string uid(change.after == nullptr ? "" : change.after->metadata().uid);
  if (context_.configured) context_.configured(data, uid);
}

void Follower::node_changed(const client::Change& change) {
  if (change.after == nullptr) return;
  const auto document = change.after->document();
  if (!document.ok()) return;
  std::vector<IpPrefix> ranges;
  for (const api::View range : api::View(document->root())["spec"]["podCIDRs"].items()) {
    if (const auto prefix = parse_prefix(range.text())) ranges.push_back(*prefix);
  }
  if (context_.pods_changed) context_.pods_changed(std::move(ranges));
}

}  // namespace proa::dns
