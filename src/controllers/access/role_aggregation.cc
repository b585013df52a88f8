#include "controllers/access/role_aggregation.h"

#include <algorithm>

#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "json/print.h"
#include "json/text/scan.h"
#include "kinds/rbac/aggregation.h"

namespace proa::controllers {
namespace role_aggregation {

using client::Again;
using client::Key;

struct Gathers {
  bool any;
};

bool gathers(const api::Object& role) {
  return role
      .kept<Gathers>([&] {
        const std::string_view rule = json::Scan::find(role.json(), "aggregationRule");
        return Gathers{!rule.empty() && rule != "null"};
      })
      .any;
}

class RoleAggregator final : public Controller {
 public:
  explicit RoleAggregator(const ControllerContext& context)
      : client_(context.client),
        resource_(*context.schema.find_resource("rbac.authorization.k8s.io", "v1", "clusterroles")),
        roles_(context.informers.of("rbac.authorization.k8s.io", "clusterroles")),
        freshness_(roles_) {}

  // Roles are few, and only their selectors tell which aggregate the changed one: all are scanned.
  void listen(client::WorkQueue& queue) override {
    roles_.add_handler([this, &queue](const client::Change&) {
      for (const api::ObjectPtr& role : roles_.cache().list()) {
        if (gathers(*role)) queue.add(Key::of(*role));
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const std::vector<api::ObjectPtr> roles = roles_.cache().list();
    const auto own = std::find_if(roles.begin(), roles.end(), [&](const api::ObjectPtr& role) {
      return role->metadata().name == key.name;
    });
    if (own == roles.end() || !gathers(**own) || (*own)->metadata().being_deleted) {
      freshness_.forget(key);
      return Again{};
    }
    std::vector<json::Document> documents;
    for (const api::ObjectPtr& role : roles) {
      json::Document document = TRY(role->document());
      documents.push_back(std::move(document));
    }
    const std::vector<api::View> views = views_of(documents);
    json::Document& wanted = documents[static_cast<size_t>(own - roles.begin())];
    const bool changed = TRY(kinds::aggregate_rules(api::Edit(wanted), views));
    if (!changed) return Again{};
    const Result<api::ObjectPtr> written =
        client_.update(place_of(resource_, key), std::move(wanted), {});
    freshness_.tried(key, written);
    TRY(unless_gone(written));
    return Again{};
  }

 private:
  static std::vector<api::View> views_of(const std::vector<json::Document>& documents) {
    std::vector<api::View> views;
    views.reserve(documents.size());
    for (const json::Document& document : documents) views.emplace_back(document.root());
    return views;
  }

  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& roles_;
  Freshness freshness_;
};

}  // namespace role_aggregation

std::unique_ptr<Controller> make_role_aggregator(const ControllerContext& context) {
  return std::make_unique<role_aggregation::RoleAggregator>(context);
}

}  // namespace proa::controllers
