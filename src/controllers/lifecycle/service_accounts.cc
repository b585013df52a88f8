#include "controllers/lifecycle/service_accounts.h"

#include "api/object/view.h"
#include "client/root_authority.h"
#include "controllers/framework/writes.h"
#include "json/parse.h"

namespace proa::controllers {
namespace service_accounts {

using client::Key;
using client::Place;

// Whatever happens in a namespace to the object of that name leads to the namespace.
void listen_in_namespaces(client::Informer& namespaces, client::Informer& objects,
                          std::string_view name, client::WorkQueue& queue) {
  namespaces.add_handler([&queue](const client::Change& change) {
    if (change.after != nullptr) queue.add({"", change.key.name});
  });
  objects.add_handler([&queue, name](const client::Change& change) {
    if (change.key.name == name) queue.add({"", change.key.name_space});
  });
}

bool is_there_to_stay(const client::Informer& namespaces, const Key& key) {
  const api::ObjectPtr found = namespaces.cache().get(key);
  return found != nullptr && !found->metadata().being_deleted;
}

// Somebody else was faster, or the namespace is on its way out: both are fine.
Result<client::Again> settled(const Result<api::ObjectPtr>& written) {
  if (written || written.is(Reason::kAlreadyExists) || written.is(Reason::kNotFound)) {
    return client::Again{};
  }
  if (is_namespace_terminating(written.status())) return client::Again{};
  return written.status();
}

class DefaultAccounts final : public Controller {
 public:
  explicit DefaultAccounts(const ControllerContext& context)
      : client_(context.client),
        resource_(*context.schema.find_resource("", "v1", "serviceaccounts")),
        namespaces_(context.informers.of("", "namespaces")),
        accounts_(context.informers.of("", "serviceaccounts")) {}

  void listen(client::WorkQueue& queue) override {
    listen_in_namespaces(namespaces_, accounts_, kName, queue);
  }

  Result<client::Again> reconcile(const Key& key) override {
    if (!is_there_to_stay(namespaces_, key)) return client::Again{};
    if (accounts_.cache().get({key.name, kName}) != nullptr) return client::Again{};
    const Place place{
        .resource = &resource_, .name_space = key.name, .name = kName, .subresource = {}};
    return settled(
        client_.create(place, json::parse_literal(R"({"metadata":{"name":"default"}})"), {}));
  }

 private:
  static constexpr const char* kName = "default";

  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& namespaces_;
  client::Informer& accounts_;
};

class RootAuthority final : public Controller {
 public:
  explicit RootAuthority(const ControllerContext& context)
      : client_(context.client),
        resource_(*context.schema.find_resource("", "v1", "configmaps")),
        namespaces_(context.informers.of("", "namespaces")),
        maps_(context.informers.of("", "configmaps")),
        authority_(context.options.root_authority_pem) {}

  void listen(client::WorkQueue& queue) override {
    listen_in_namespaces(namespaces_, maps_, kName, queue);
  }

  Result<client::Again> reconcile(const Key& key) override {
    if (authority_.empty() || !is_there_to_stay(namespaces_, key)) return client::Again{};
    const Place place{
        .resource = &resource_, .name_space = key.name, .name = kName, .subresource = {}};
    const api::ObjectPtr found = maps_.cache().get({key.name, kName});
    if (found == nullptr) return settled(client_.create(place, wanted(), {}));
    const json::Document document = TRY(found->document());
    const api::View data = api::View(document.root())["data"];
    if (data.size() == 1 && data["ca.crt"].text() == authority_) return client::Again{};
    return settled(client_.update(place, wanted(), {}));
  }

 private:
  static constexpr const char* kName = client::kRootAuthorityName;

  json::Document wanted() const {
    return json::parse_literal(client::root_authority_json(authority_));
  }

  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& namespaces_;
  client::Informer& maps_;
  const std::string authority_;
};

}  // namespace service_accounts

std::unique_ptr<Controller> make_service_account_controller(const ControllerContext& context) {
  return std::make_unique<service_accounts::DefaultAccounts>(context);
}

std::unique_ptr<Controller> make_root_authority_publisher(const ControllerContext& context) {
  return std::make_unique<service_accounts::RootAuthority>(context);
}

}  // namespace proa::controllers
