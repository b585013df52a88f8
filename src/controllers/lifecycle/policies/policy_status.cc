#include "controllers/lifecycle/policies/policy_status.h"

#include <algorithm>
#include <tuple>

#include "cel/admission/kind_schema.h"
#include "cel/admission/type_check.h"
#include "controllers/framework/custom/custom_resources.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/lifecycle/policies/checked_kinds.h"

namespace proa::controllers {
namespace policy_status {

using api::Edit;
using api::ObjectPtr;
using api::View;
using client::Again;
using client::Key;

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::string_view kResource = "validatingadmissionpolicies";
constexpr const char* kFieldManager = "validatingadmissionpolicy-status";
// Upstream's maxTypesToCheck: a rule with more is not checked for the others.
constexpr size_t kMostKinds = 10;

using ShapesPtr = std::shared_ptr<const cel::Shapes>;

struct FoundKind {
  std::string group;
  std::string version;
  std::string kind;
  ShapesPtr shapes;

  auto order() const { return std::tie(group, version, kind); }
  // As Go prints a GroupVersionKind.
  std::string name() const { return group + "/" + version + ", Kind=" + kind; }
};

class PolicyStatus final : public Controller {
 public:
  explicit PolicyStatus(const ControllerContext& context)
      : client_(context.client),
        schema_(context.schema),
        resource_(*context.schema.find_resource(kGroup, "v1", kResource)),
        policies_(context.informers.of(kGroup, kResource)),
        custom_(context.informers.custom()),
        freshness_(policies_) {}

  void listen(client::WorkQueue& queue) override {
    policies_.add_handler([&queue](const client::Change& change) { queue.add(change.key); });
  }
  // Checks take memory, and nobody waits for them.
  size_t workers() const override { return 1; }

  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const ObjectPtr object = policies_.cache().get(key);
    if (object == nullptr) {
      freshness_.forget(key);
      return Again{};
    }
    json::Document document = TRY(object->document());
    const View policy(document.root());
    const int64_t generation = policy["metadata"]["generation"].integer();
    if (generation <= policy["status"]["observedGeneration"].integer()) return Again{};
    const std::vector<cel::ExpressionWarning> warnings = check(policy["spec"]);
    const Edit status = Edit(document).object("status");
    status.set("observedGeneration", generation);
    status.remove("typeChecking");
    // Also if there are none: it says that they were looked for.
    const Edit checking = status.object("typeChecking");
    for (const cel::ExpressionWarning& warning : warnings) {
      const Edit added = checking.array("expressionWarnings").push_object();
      added.set("fieldRef", warning.field);
      added.set("warning", warning.warning);
    }
    const Result<ObjectPtr> written =
        client_.update(place_of(resource_, key, "status"), std::move(document),
                       {.dry_run = false, .field_manager = kFieldManager});
    freshness_.tried(key, written);
    // Changed meanwhile: the event is on its way.
    if (written.is(Reason::kConflict)) return kNotYet;
    TRY(unless_gone(written));
    return Again{};
  }

 private:
  std::vector<cel::ExpressionWarning> check(View spec) const {
    std::vector<cel::PolicyKind> kinds;
    for (const FoundKind& found : kinds_of(spec)) kinds.push_back({found.name(), found.shapes});
    const View param = spec["paramKind"];
    const ShapesPtr params =
        param ? find_kind(param["apiVersion"].text(), param["kind"].text()) : nullptr;
    return cel::check_policy_types(spec, kinds, params.get());
  }

  // Sorted, each once.
  std::vector<FoundKind> kinds_of(View spec) const {
    std::vector<FoundKind> kinds;
    for (const View rule : spec["matchConstraints"]["resourceRules"].items()) {
      size_t count = 0;
      for (const policies::CheckedResource& resource : policies::checked_resources(rule)) {
        if (count >= kMostKinds) break;
        FoundKind found = find(resource);
        if (found.shapes == nullptr) continue;
        ++count;
        const bool known = std::ranges::any_of(
            kinds, [&](const FoundKind& other) { return other.order() == found.order(); });
        if (!known) kinds.push_back(std::move(found));
      }
      if (count >= kMostKinds) break;
    }
    std::ranges::sort(kinds, {}, [](const FoundKind& kind) { return kind.order(); });
    return kinds;
  }

  // Without shapes if there is none.
  FoundKind find(const policies::CheckedResource& wanted) const {
    FoundKind found{.group = wanted.group, .version = wanted.version, .kind = "", .shapes = {}};
    const api::Resource* built_in =
        schema_.find_resource(wanted.group, wanted.version, wanted.resource);
    if (built_in != nullptr) {
      found.kind = built_in->type->name;
      found.shapes = shapes_of(*built_in->type);
      return found;
    }
    const custom::DefinitionPtr definition = custom_.find(wanted.group, wanted.resource);
    if (definition == nullptr) return found;
    const custom::CustomResource* version = definition->find(wanted.version);
    if (version == nullptr) return found;
    found.kind = definition->kind();
    found.shapes = shapes_of(*definition, *version);
    return found;
  }

  // Null if there is none.
  ShapesPtr find_kind(std::string_view api_version, std::string_view kind) const {
    if (const api::Type* built_in = schema_.find_kind(api_version, kind))
      return shapes_of(*built_in);
    const CustomVersion found = custom_.find_kind(api_version, kind);
    return found ? shapes_of(*found.definition, *found.resource) : nullptr;
  }

  static ShapesPtr shapes_of(const api::Type& type) {
    return std::make_shared<const cel::Shapes>(cel::kind_schema(type).root(), true);
  }
  static ShapesPtr shapes_of(const custom::Definition& definition,
                             const custom::CustomResource& version) {
    const Result<json::Document> stated = definition.object()->document();
    if (!stated) return nullptr;
    const View schema = version.stated(stated->root())["schema"]["openAPIV3Schema"];
    if (!schema) return nullptr;
    return std::make_shared<const cel::Shapes>(*schema.value(), true);
  }

  const client::BoundedClient client_;
  const api::Schema& schema_;
  const api::Resource& resource_;
  client::Informer& policies_;
  CustomResources& custom_;
  Freshness freshness_;
};

}  // namespace policy_status

std::unique_ptr<Controller> make_policy_status_controller(const ControllerContext& context) {
  return std::make_unique<policy_status::PolicyStatus>(context);
}

}  // namespace proa::controllers
