#include "custom/definition/definition.h"

#include <algorithm>

#include "api/schema/builtin.h"
#include "api/schema/type_builder.h"
#include "api/schema/version_order.h"
#include "base/check.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "custom/definition/types.h"
#include "custom/schema.h"

namespace proa::custom {
namespace definition {

using api::Verb;
using api::View;

constexpr api::Verbs kVerbs{Verb::kCreate, Verb::kDelete, Verb::kDeleteCollection, Verb::kGet,
                            Verb::kList,   Verb::kPatch,  Verb::kUpdate,           Verb::kWatch};
constexpr api::Verbs kPartVerbs{Verb::kGet, Verb::kPatch, Verb::kUpdate};
// Upstream's priorities of custom groups in discovery.
constexpr int kGroupPriority = 1000;
constexpr int kVersionPriority = 100;

// Of the Kubernetes version whose libraries rules may use.
constexpr int kMinorVersion = 36;

Patterns& shared_patterns() {
  static Patterns patterns;
  return patterns;
}

bool is_true(View conditions, std::string_view type) {
  return std::ranges::any_of(conditions.items(), [&](View condition) {
    return condition["type"].text() == type && condition["status"].text() == "True";
  });
}

// As upstream's StorageVersionHash.
std::string storage_hash(std::string_view group, std::string_view version, std::string_view kind) {
  std::string text(group);
  text.append("/").append(version).append("/").append(kind);
  return to_base64(crypto::sha256(text).view().substr(0, 8));
}

// The version that clients of a deprecated one should use: as upstream, the first by name of those
// that are served, and before it. Empty: there is none.
std::string_view replacement(std::string_view deprecated, View versions) {
  std::string_view best;
  for (const View version : versions.items()) {
    const std::string_view name = version["name"].text();
    const bool usable = version["served"].flag() && !version["deprecated"].flag();
    if (!usable || !api::version_precedes(name, deprecated)) continue;
    if (best.empty() || api::version_precedes(name, best)) best = name;
  }
  return best;
}

// What clients are warned of when they use a deprecated version.
std::string deprecation(const CustomResource& resource, View version, View versions) {
  if (!version["deprecated"].flag()) return {};
  const std::string_view stated = version["deprecationWarning"].text();
  if (version["deprecationWarning"].exists()) return std::string(stated);
  const auto named = [&](std::string_view name) {
    return std::string(resource.group) + "/" + std::string(name) + " " +
           std::string(resource.type->name);
  };
  const std::string_view other = replacement(resource.version, versions);
  return named(resource.version) + " is deprecated" +
         (other.empty() ? "" : "; use " + named(other));
}

// The definition that was made of an object, while somebody uses it. Kept with the object, which it
// keeps: so it must not be kept by it.
class Made {
 public:
  std::shared_ptr<const Definition> find() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return definition_.lock();
  }
  void set(const std::shared_ptr<const Definition>& definition) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    definition_ = definition;
  }

 private:
  Mutex mutex_;
  std::weak_ptr<const Definition> definition_ GUARDED_BY(mutex_);
};

}  // namespace definition

const CustomResource& custom_resource(const api::Resource& resource) {
  CHECK(resource.custom);
  return static_cast<const CustomResource&>(resource);
}

CustomResource::CustomResource() = default;
CustomResource::~CustomResource() = default;

api::View CustomResource::stated(api::View definition) const {
  for (const api::View each : definition["spec"]["versions"].items()) {
    if (each["name"].text() == version) return each;
  }
  return {};
}

Result<const Schema*> CustomResource::schema() const {
  if (const Schema* made = made_.load(std::memory_order_acquire)) return made;
  MutexLock lock(mutex_);
  if (schema_ == nullptr) {
    const json::Document definition = TRY(definition_->object()->document());
    const api::View stated = this->stated(definition.root())["schema"]["openAPIV3Schema"];
    const json::Value none = json::Value::object();
    Schema schema = TRY(Schema::make(stated.exists() ? *stated.value() : none,
                                     definition::kMinorVersion, definition::shared_patterns()));
    schema_ = std::make_unique<const Schema>(std::move(schema));
    made_.store(schema_.get(), std::memory_order_release);
  }
  return schema_.get();
}

Definition::Definition(api::ObjectPtr object)
    : object_(std::move(object)),
      changed_at_(parse_uint(object_->metadata().resource_version).value_or(0)) {}

Result<std::shared_ptr<const Definition>> Definition::make(api::ObjectPtr object,
                                                           const Definition* before) {
  definition::Made& known = *object->kept<std::unique_ptr<definition::Made>>(
      [] { return std::make_unique<definition::Made>(); });
  std::shared_ptr<const Definition> other = known.find();
  if (other != nullptr && (before == nullptr || !other->continues(*before))) return other;
  const json::Document document = TRY(object->document());
  std::shared_ptr<Definition> made(new Definition(std::move(object)));
  TRY(made->read(document.root()));
  if (before != nullptr && made->continues(*before)) {
    made->changed_at_ = before->changed_at_;
    made->replaced_ = before->replaced_;
  }
  known.set(made);
  return std::shared_ptr<const Definition>(std::move(made));
}

bool Definition::continues(const Definition& before) const {
  return served_ == before.served_ && kind_ == before.kind_ && list_kind_ == before.list_kind_ &&
         singular_ == before.singular_ && std::ranges::equal(short_names_, before.short_names_) &&
         std::ranges::equal(categories_, before.categories_) && has_spec_of(before);
}

bool Definition::has_spec_of(const Definition& before) const {
  const api::Metadata& now = object_->metadata();
  const api::Metadata& then = before.object_->metadata();
  if (now.uid != then.uid) return false;
  if (now.generation == then.generation) return true;
  // Deleting a definition is a new generation of the same spec.
  const Result<json::Document> document = object_->document();
  const Result<json::Document> earlier = before.object_->document();
  return document && earlier &&
         api::View(document->root())["spec"] == api::View(earlier->root())["spec"];
}

Result<void> Definition::read(api::View definition) {
  const api::View spec = definition["spec"];
  read_names(spec, definition["status"]);
  read_conditions(definition["status"]["conditions"]);
  if (spec["conversion"]["strategy"].text() == "Webhook")
    conversion_ = ConversionStrategy::kWebhook;
  const api::View versions = spec["versions"];
  versions_ = std::vector<CustomResource>(versions.size());
  for (size_t i = 0; i < versions.size(); ++i) {
    add_version(versions.item(i), versions, versions_[i]);
    if (versions.item(i)["storage"].flag()) stored_ = &versions_[i];
  }
  if (stored_ == nullptr)
    return Status(Reason::kInternalError, "the definition has no version that is stored");
  for (size_t i = 0; i < versions.size(); ++i) {
    versions_[i].stored = stored_;
    if (served_ && versions.item(i)["served"].flag()) serving_.push_back(&versions_[i]);
  }
  return {};
}

// Other names than the accepted ones may be those of another definition.
void Definition::read_names(api::View spec, api::View status) {
  group_ = arena_.copy(spec["group"].text());
  namespaced_ = spec["scope"].text() == "Namespaced";
  const api::View accepted = status["acceptedNames"];
  const api::View names = accepted["plural"].text().empty() ? spec["names"] : accepted;
  plural_ = arena_.copy(spec["names"]["plural"].text());
  singular_ = arena_.copy(names["singular"].text());
  kind_ = arena_.copy(names["kind"].text());
  list_kind_ = arena_.copy(names["listKind"].text());
  short_names_ = texts(names["shortNames"]);
  categories_ = texts(names["categories"]);
  key_prefix_ = arena_.copy("/registry/" + std::string(group_) + "/" + std::string(plural_));
  for (const api::View version : spec["versions"].items()) {
    if (!version["storage"].flag() || !version["served"].flag()) continue;
    storage_hash_ = arena_.copy(
        definition::storage_hash(group_, version["name"].text(), spec["names"]["kind"].text()));
  }
}

void Definition::read_conditions(api::View conditions) {
  served_ = definition::is_true(conditions, "Established") ||
            definition::is_true(conditions, "NamesAccepted");
  terminating_ = definition::is_true(conditions, "Terminating");
}

void Definition::add_version(api::View version, api::View versions, CustomResource& resource) {
  resource.definition_ = this;
  resource.group = group_;
  resource.version = arena_.copy(version["name"].text());
  resource.name = plural_;
  resource.singular = singular_;
  resource.namespaced = namespaced_;
  resource.custom = true;
  resource.ending = terminating_;
  resource.verbs = definition::kVerbs;
  resource.short_names = short_names_;
  resource.categories = categories_;
  resource.key_prefix = key_prefix_;
  resource.storage_hash = storage_hash_;
  resource.group_priority = definition::kGroupPriority;
  resource.version_priority = definition::kVersionPriority;
  add_types(version, resource);
  add_subresources(version["subresources"], resource);
  add_selectable(version["selectableFields"], resource);
  // Without a status subresource, status is as good as any field.
  static constexpr std::string_view kAllButStatus[] = {"*"};
  static constexpr std::string_view kAll[] = {"**"};
  resource.has_status = resource.find_subresource("status") != nullptr;
  resource.generation_counts = resource.has_status
                                   ? std::span<const std::string_view>(kAllButStatus)
                                   : std::span<const std::string_view>(kAll);
  resource.deprecation = arena_.copy(definition::deprecation(resource, version, versions));
}

void Definition::add_types(api::View version, CustomResource& resource) {
  const std::string group_version = std::string(group_) + "/" + std::string(version["name"].text());
  const CustomTypes types =
      make_types(arena_, {.group_version = group_version, .kind = kind_, .list_kind = list_kind_});
  resource.type = types.type;
  resource.list = types.list;
  resource.head_ = arena_.copy("{\"kind\":\"" + std::string(kind_) + "\",\"apiVersion\":\"" +
                               group_version + "\",");
}

void Definition::add_subresources(api::View subresources, CustomResource& resource) {
  std::vector<api::Subresource> parts;
  if (subresources["status"].exists()) {
    parts.push_back({.name = "status",
                     .type = resource.type,
                     .verbs = definition::kPartVerbs,
                     .keeps_metadata = true});
  }
  if (const api::View scale = subresources["scale"]; scale.exists()) {
    resource.scale_ = {.spec_replicas = std::string(scale["specReplicasPath"].text()),
                       .status_replicas = std::string(scale["statusReplicasPath"].text()),
                       .label_selector = std::string(scale["labelSelectorPath"].text())};
    parts.push_back({.name = "scale",
                     .type = api::builtin_schema().find_kind("autoscaling/v1", "Scale"),
                     .verbs = definition::kPartVerbs});
  }
  resource.subresources = api::keep<api::Subresource>(arena_, parts);
}

// Paths are as simple as ".spec.color".
void Definition::add_selectable(api::View fields, CustomResource& resource) {
  std::vector<api::SelectableField> selectable;
  for (const api::View field : fields.items()) {
    std::string_view path = arena_.copy(field["jsonPath"].text());
    if (path.starts_with('.')) path.remove_prefix(1);
    const std::string_view paths[] = {path};
    selectable.push_back({.name = path, .paths = api::keep<std::string_view>(arena_, paths)});
  }
  resource.selectable = api::keep<api::SelectableField>(arena_, selectable);
}

std::span<const std::string_view> Definition::texts(api::View list) {
  std::vector<std::string_view> copied;
  for (const api::View one : list.items()) copied.push_back(arena_.copy(one.text()));
  return api::keep<std::string_view>(arena_, copied);
}

const CustomResource* Definition::find(std::string_view version) const {
  const auto found = std::ranges::find(versions_, version, &CustomResource::version);
  return found == versions_.end() ? nullptr : &*found;
}

size_t Definition::memory() const {
  return sizeof(*this) + arena_.reserved() + versions_.capacity() * sizeof(CustomResource) +
         serving_.capacity() * sizeof(void*);
}

}  // namespace proa::custom
