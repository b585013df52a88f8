#include "network/announce/port_reporter.h"

#include <utility>

#include "api/object/edit.h"
#include "base/check.h"
#include "base/strings.h"
#include "kinds/core/services/announcements.h"
#include "kinds/core/services/balancer_node.h"
#include "network/announce/addresses.h"
#include "network/announce/used_ports.h"

namespace proa::network {
namespace port_reporter {

using Ports = std::set<std::string>;

constexpr client::Backoff kBackoff{.first = std::chrono::milliseconds(100),
                                   .most = std::chrono::minutes(1)};
// All is done for this one key.
const client::Key kAll{"", "ports"};

const api::Resource& core(const api::Schema& schema, std::string_view name) {
  const api::Resource* resource = schema.find_resource("", "v1", name);
  CHECK(resource != nullptr);
  return *resource;
}

Ports ports_of(const api::ObjectPtr& service) {
  return service == nullptr ? Ports() : wanted_ports(*service);
}

}  // namespace port_reporter

PortReporter::PortReporter(Context context)
    : context_(std::move(context)),
      client_(context_.client, context_.clock),
      queue_(context_.clock, context_.random, {.backoff = port_reporter::kBackoff}),
      services_(context_.client, context_.clock, context_.random,
                {.place = {.resource = &port_reporter::core(context_.schema, "services")},
                 .labels = {},
                 .fields = "spec.type=LoadBalancer"}),
      runner_("used ports", *this, queue_, context_.pool),
      poller_(context_.clock) {
  services_.add_handler([this](const client::Change& change) {
    const bool same =
        port_reporter::ports_of(change.before) == port_reporter::ports_of(change.after);
    if (!same) queue_.add(port_reporter::kAll);
  });
  poller_.add(services_);
  poller_.add(runner_);
}

PortReporter::~PortReporter() { stop(); }

void PortReporter::start() {
  runner_.start();
  poller_.start();
}

void PortReporter::stop() {
  poller_.stop();
  runner_.stop();
}

std::set<std::string> PortReporter::all_wanted() const {
  std::set<std::string> all;
  for (const api::ObjectPtr& service : services_.cache().list()) {
    all.merge(wanted_ports(*service));
  }
  return all;
}

client::Place PortReporter::node() const {
  return {.resource = &port_reporter::core(context_.schema, "nodes"),
          .name_space = {},
          .name = context_.node.str(),
          .subresource = {}};
}

Result<client::Again> PortReporter::reconcile(const client::Key& key) {
  static_cast<void>(key);
  const std::set<std::string> wanted = all_wanted();
  std::erase_if(free_, [&](const std::string& port) { return !wanted.contains(port); });
  const api::ObjectPtr object = TRY(client_.get(node()));
  const kinds::BalancerNode before = TRY(api::decode<kinds::BalancerNode>(*object));
  const Result<std::vector<netlink::Listener>> listeners = netlink::find_listeners(context_.clock);
  // Kernels without that are rare, and so are conflicts.
  if (listeners.is(Reason::kNotFound)) return client::Again{};
  if (!listeners) return listeners.status();
  std::set<std::string> used = used_ports(wanted, *listeners, internal_addresses(*object));
  std::erase_if(used, [&](const std::string& port) { return free_.contains(port); });
  const std::string text = join(std::vector<std::string>(used.begin(), used.end()), ",");
  if (text != before.metadata.annotations.used_ports) {
    json::Document patch;
    patch.root() = json::Value::object();
    const api::Edit annotations = api::Edit(patch).object("metadata").object("annotations");
    if (text.empty()) {
      annotations.set(kinds::kUsedPorts, json::Value());
    } else {
      annotations.set(kinds::kUsedPorts, text);
    }
    TRY(client_.patch(node(), api::PatchType::kMerge, std::move(patch), {}));
  }
  for (const std::string& port : wanted) {
    if (!used.contains(port)) free_.insert(port);
  }
  return client::Again{};
}

}  // namespace proa::network
