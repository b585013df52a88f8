#include "network/announce/announcer.h"

#include <algorithm>
#include <utility>

#include "api/object/edit.h"
#include "base/check.h"
#include "base/log.h"
#include "base/time.h"
#include "kinds/core/services/announcements.h"
#include "netlink/route/routing.h"
#include "network/announce/addresses.h"
#include "network/announce/objects.h"

namespace proa::network {
namespace announcer {

const Log kLog{"network"};

// Of one call: a renewal that takes longer is as good as missed.
constexpr Duration kCallTimeout = std::chrono::seconds(1);
// Before links are looked up again that were not there.
constexpr Duration kRetry = std::chrono::seconds(1);

client::Selector selector(const api::Schema& schema, std::string_view group, std::string_view name,
                          std::string_view label, std::string_view name_space = {}) {
  const api::Resource* resource = schema.find_resource(group, "v1", name);
  CHECK(resource != nullptr);
  return {.place = {.resource = resource,
                    .name_space = std::string(name_space),
                    .name = {},
                    .subresource = {}},
          .labels = std::string(label),
          .fields = {}};
}

}  // namespace announcer

Announcer::Surroundings::Surroundings(const Context& context, Announcer& announcer)
    : nodes(context.client, context.clock, context.random,
            announcer::selector(context.schema, "", "nodes", "")),
      slices(context.client, context.clock, context.random,
             announcer::selector(context.schema, "discovery.k8s.io", "endpointslices",
                                 kinds::kAnnouncedLabel)),
      leases(context.client, context.clock, context.random,
             announcer::selector(context.schema, "coordination.k8s.io", "leases",
                                 kinds::kAnnouncerLabel, kinds::kAnnouncerNamespace)),
      poller(context.clock) {
  for (client::Informer* informer : {&nodes, &slices}) {
    informer->add_handler([&announcer](const client::Change&) { announcer.objects_changed(); });
    poller.add(*informer);
  }
  leases.add_handler(
      [&announcer](const client::Change& change) { announcer.lease_changed(change); });
  poller.add(leases);
  poller.start();
}

Announcer::Announcer(Context context)
    : context_(std::move(context)),
      client_(context_.client, context_.clock, {}, announcer::kCallTimeout),
      services_(context_.client, context_.clock, context_.random,
                announcer::selector(context_.schema, "", "services", kinds::kAnnouncedLabel)),
      peers_(context_.node.str()),
      poller_(context_.clock) {
  services_.add_handler([this](const client::Change&) { objects_changed(); });
  poller_.add(services_);
}

Announcer::~Announcer() { stop(); }

void Announcer::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  poller_.start();
}

void Announcer::stop() {
  poller_.stop();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  wake();
  thread_.join();
  // In this order: until others have taken over, this node answers.
  release_lease();
  surroundings_.reset();
  responders_.clear();
}

void Announcer::objects_changed() {
  {
    MutexLock lock(mutex_);
    news_.objects = true;
  }
  wake();
}

void Announcer::lease_changed(const client::Change& change) {
  const api::ObjectPtr& object = change.after ? change.after : change.before;
  const Result<announced::Lease> lease = api::decode<announced::Lease>(*object);
  if (!lease) return;
  // A node can write no Lease but its own.
  if (change.key.name != kinds::announcer_lease(lease->spec.holder)) return;
  {
    MutexLock lock(mutex_);
    news_.renewals.push_back({std::string(lease->spec.holder),
                              change.after ? std::string(lease->spec.renewed) : std::string(),
                              context_.clock.steady()});
  }
  wake();
}

void Announcer::wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  changed_.notify_one();
}

Announcer::News Announcer::take_news(Steady due, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!woken_ && !stop.stop_requested() && context_.clock.steady() < due) {
    context_.clock.wait_until(changed_, mutex_, due);
  }
  woken_ = false;
  return std::exchange(news_, {});
}

void Announcer::run(const std::stop_token& stop) {
  Steady due = Steady::max();
  while (!stop.stop_requested()) {
    const News news = take_news(due, stop);
    if (stop.stop_requested()) return;
    due = step(news, stop);
  }
}

Steady Announcer::step(const News& news, const std::stop_token& stop) {
  if (services_.cache().size() == 0) {
    rest();
    return Steady::max();
  }
  bool objects = news.objects;
  if (surroundings_ == nullptr) {
    surroundings_ = std::make_unique<Surroundings>(context_, *this);
    const Until until{.deadline = Steady::max(), .stop = stop};
    for (client::Informer* informer :
         {&surroundings_->nodes, &surroundings_->slices, &surroundings_->leases}) {
      if (!informer->wait_synced(until)) return Steady::max();
    }
    objects = true;
  }
  if (objects) {
    const auto services = services_.cache().list();
    const auto slices = surroundings_->slices.cache().list();
    const auto nodes = surroundings_->nodes.cache().list();
    addresses_ = announced_addresses({services, slices, nodes});
  }
  read_news(news);
  decide();
  if (!applied_) {
    const Result<void> done = apply();
    applied_ = done.ok();
    if (!done) announcer::kLog.warn("announcing addresses failed", {{"error", done.status()}});
  }
  Steady due = applied_ ? Steady::max() : context_.clock.steady() + announcer::kRetry;
  if (!decision_.takes_part) {
    release_lease();
    return due;
  }
  const Steady now = context_.clock.steady();
  if (renew_due_ <= now) {
    renew_due_ = now + kRenewPeriod;
    const Result<void> renewed = renew();
    if (!renewed) {
      announcer::kLog.debug("renewing the lease of announcers failed",
                            {{"error", renewed.status()}});
    }
  }
  return std::min(due, renew_due_);
}

void Announcer::read_news(const News& news) {
  for (const News::Renewal& one : news.renewals) {
    if (one.time.empty()) {
      peers_.removed(one.node);
    } else {
      peers_.renewed(one.node, one.time, one.seen);
    }
  }
  const bool blind = peers_.is_blind(context_.clock.steady());
  if (!blind && !yielded_.empty()) {
    yielded_.clear();
    applied_ = false;
  }
  for (const IpAddress& address : news.claims) {
    // Otherwise it is a node that has not heard of this one yet.
    if (!blind || !yielded_.insert(address).second) continue;
    applied_ = false;
    announcer::kLog.info("another node announces an address while the API is away",
                         {{"address", address.str()}});
  }
  if (news.broken) applied_ = false;
}

void Announcer::decide() {
  const std::set<std::string, std::less<>> live = peers_.live();
  AnnounceDecision decided = decide_announcements(addresses_, context_.node.str(), live);
  // Until its own Lease is seen, this node does not know who lives.
  if (live.empty()) decided.announce = decision_.announce;
  if (decided.announce != decision_.announce) applied_ = false;
  decision_ = std::move(decided);
}

// There is nothing to announce.
void Announcer::rest() {
  if (surroundings_ == nullptr) return;
  release_lease();
  surroundings_.reset();
  responders_.clear();
  addresses_.clear();
  decision_ = {};
  yielded_.clear();
  peers_ = Peers(context_.node.str());
  applied_ = true;
}

client::Place Announcer::lease() const {
  return {.resource = context_.schema.find_resource("coordination.k8s.io", "v1", "leases"),
          .name_space = std::string(kinds::kAnnouncerNamespace),
          .name = kinds::announcer_lease(context_.node.str()),
          .subresource = {}};
}

Result<void> Announcer::renew() {
  const std::string now = format_micro_time(context_.clock.now());
  has_lease_ = true;  // also if the answer is lost
  json::Document patch;
  patch.root() = json::Value::object();
  api::Edit(patch).object("spec").set("renewTime", now);
  const auto patched = client_.patch(lease(), api::PatchType::kMerge, std::move(patch), {});
  if (patched.is(Reason::kNotFound)) return create_lease(now);
  if (!patched) return patched.status();
  return {};
}

Result<void> Announcer::create_lease(const std::string& now) const {
  const api::ObjectPtr node =
      surroundings_->nodes.cache().get({.name_space = {}, .name = context_.node.str()});
  if (node == nullptr) return Status(Reason::kNotFound, "this node is not registered yet");
  const client::Place place = lease();
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit made(document);
  made.set("apiVersion", "coordination.k8s.io/v1");
  made.set("kind", "Lease");
  const api::Edit metadata = made.object("metadata");
  metadata.set("name", place.name);
  metadata.set("namespace", place.name_space);
  metadata.object("labels").set(kinds::kAnnouncerLabel, "true");
  // So that it goes with the Node.
  const api::Edit owner = metadata.array("ownerReferences").push_object();
  owner.set("apiVersion", "v1");
  owner.set("kind", "Node");
  owner.set("name", context_.node.str());
  owner.set("uid", node->metadata().uid);
  const api::Edit spec = made.object("spec");
  spec.set("holderIdentity", context_.node.str());
  spec.set("leaseDurationSeconds", 2);
  spec.set("renewTime", now);
  TRY(client_.create(place, std::move(document), {}));
  return {};
}

void Announcer::release_lease() {
  if (!std::exchange(has_lease_, false)) return;
  const Result<void> removed = client_.remove(lease(), {});
  if (!removed && !removed.is(Reason::kNotFound)) {
    announcer::kLog.debug("removing the lease of an announcer failed",
                          {{"error", removed.status()}});
  }
}

Result<void> Announcer::apply() {
  std::set<IpAddress> wanted = decision_.announce;
  for (const IpAddress& address : yielded_) wanted.erase(address);
  if (wanted.empty()) {
    responders_.clear();
    return {};
  }
  const std::map<bool, Responder::Link> links = TRY(find_links());
  std::map<int, std::set<IpAddress>> by_link;
  for (const auto& [is_v4, link] : links) by_link[link.index];
  Result<void> outcome;
  for (const IpAddress& address : wanted) {
    const auto link = links.find(address.is_v4());
    if (link == links.end()) {
      outcome =
          Status(Reason::kNotFound,
                 "no Ethernet link has an address of this node in the family of " + address.str());
      continue;
    }
    by_link[link->second.index].insert(address);
  }
  std::erase_if(responders_, [&](const auto& one) { return !by_link.contains(one.first); });
  for (const auto& [is_v4, link] : links) {
    Responder* const responder = TRY(responder_on(link));
    TRY(responder->set(by_link[link.index]));
  }
  return outcome;
}

// The link of this node's address in each family; true: IPv4.
Result<std::map<bool, Responder::Link>> Announcer::find_links() const {
  std::map<bool, Responder::Link> found;
  const api::ObjectPtr node =
      surroundings_->nodes.cache().get({.name_space = {}, .name = context_.node.str()});
  if (node == nullptr) return found;
  netlink::Routing routing = TRY(netlink::Routing::open(context_.clock));
  const std::vector<netlink::Link> links = TRY(routing.links());
  const std::vector<netlink::LinkAddress> addresses = TRY(routing.addresses());
  for (const IpAddress& own : internal_addresses(*node)) {
    const auto address = std::find_if(addresses.begin(), addresses.end(),
                                      [&](const auto& one) { return one.address == own; });
    if (address == addresses.end()) continue;
    const auto link = std::find_if(links.begin(), links.end(),
                                   [&](const auto& one) { return one.index == address->link; });
    if (link == links.end() || link->loopback || link->mac == MacAddress{}) continue;
    found.emplace(own.is_v4(), Responder::Link{link->index, link->mac});
  }
  return found;
}

Result<Responder*> Announcer::responder_on(const Responder::Link& link) {
  std::unique_ptr<Responder>& responder = responders_[link.index];
  // With another MAC, or after a failure, it begins anew.
  if (responder != nullptr && responder->link() == link && responder->works()) {
    return responder.get();
  }
  responder.reset();
  Responder::Events events{.claimed =
                               [this](const IpAddress& address) {
                                 {
                                   MutexLock lock(mutex_);
                                   news_.claims.insert(address);
                                 }
                                 wake();
                               },
                           .broken =
                               [this] {
                                 {
                                   MutexLock lock(mutex_);
                                   news_.broken = true;
                                 }
                                 wake();
                               }};
  responder = TRY(Responder::open(link, context_.clock, std::move(events)));
  return responder.get();
}

}  // namespace proa::network
