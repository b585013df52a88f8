#include "controllers/lifecycle/namespaces.h"

#include <map>

#include "api/object/edit.h"
#include "base/strings.h"
#include "controllers/framework/conditions.h"
#include "controllers/framework/custom/custom_resources.h"
#include "controllers/lifecycle/namespace_extensions.h"
#include "controllers/lifecycle/namespace_remains.h"
#include "json/print.h"

namespace proa::controllers {
namespace namespaces {

using api::Edit;
using api::View;
using client::Again;
using client::Key;

constexpr std::string_view kFinalizer = "kubernetes";

using Remains = NamespaceRemains;

std::string counted(const std::map<std::string, size_t>& counts, std::string_view between) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts) {
    texts.push_back(name + std::string(between) + std::to_string(count) + " resource instances");
  }
  return join(texts, ", ");
}

// As upstream's ErrGroupDiscoveryFailed.
std::string discovery_failure(const std::map<std::string, std::string>& unknown) {
  std::vector<std::string> texts;
  for (const auto& [group_version, why] : unknown) texts.push_back(group_version + ": " + why);
  return "Discovery failed for some groups, " + std::to_string(texts.size()) +
         " failing: unable to retrieve the complete list of server APIs: " + join(texts, ", ");
}

std::string_view truth(bool holds) { return holds ? "True" : "False"; }

// In upstream's words: people and tools look for them.
std::vector<Condition> conditions_of(const Remains& remains) {
  const bool hidden = !remains.unknown.empty();
  const bool failed = !remains.failures.empty();
  const bool some = !remains.resources.empty();
  const bool held = !remains.finalizers.empty();
  return {
      {"NamespaceDeletionDiscoveryFailure", truth(hidden),
       hidden ? "DiscoveryFailed" : "ResourcesDiscovered",
       hidden ? discovery_failure(remains.unknown) : "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      {"NamespaceDeletionContentFailure", truth(failed),
       failed ? "ContentDeletionFailed" : "ContentDeleted",
       failed ? "Failed to delete all resource types, " + std::to_string(remains.failures.size()) +
                    " remaining: " + join(remains.failures, ", ")
              : "All content successfully deleted, may be waiting on finalization"},
      {"NamespaceContentRemaining", truth(some), some ? "SomeResourcesRemain" : "ContentRemoved",
       some ? "Some resources are remaining: " + counted(remains.resources, " has ")
            : "All content successfully removed"},
      {"NamespaceFinalizersRemaining", truth(held),
       held ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
       held ? "Some content in the namespace has finalizers remaining: " +
                  counted(remains.finalizers, " in ")
            : "All content-preserving finalizers finished"},
  };
}

class Namespaces final : public Controller {
 public:
  explicit Namespaces(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        resource_(*context.schema.find_resource("", "v1", "namespaces")),
        informer_(context.informers.of("", "namespaces")),
        custom_(context.informers.custom()),
        extensions_(context) {
    for (const api::Resource* resource : context.schema.resources()) {
      const bool stored = !resource->key_prefix.empty() && !resource->is_converted();
      if (!resource->namespaced || !stored || !resource->verbs.has(api::Verb::kDelete)) continue;
      // What runs goes first: it may need the rest until its end.
      const bool runs = resource->name == "pods" && resource->group.empty();
      contents_.insert(runs ? contents_.begin() : contents_.end(), resource);
    }
  }

  size_t workers() const override { return 10; }

  void listen(client::WorkQueue& queue) override {
    informer_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr && change.after->metadata().being_deleted) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr object = informer_.cache().get(key);
    if (object == nullptr || !object->metadata().being_deleted) return Again{};
    json::Document document = TRY(object->document());
    const View finalizers = View(document.root())["spec"]["finalizers"];
    if (finalizers.empty()) return Again{};
    const Remains remains = empty(key.name);
    if (!remains.nothing()) {
      TRY(tell(key, document, remains));
      return Again{std::chrono::seconds(remains.seconds / 2 + 1)};
    }
    TRY(tell(key, document, remains));
    return let_go(key, document);
  }

 private:
  // Deletes what can be deleted now.
  Remains empty(const std::string& name_space) {
    Remains remains;
    for (const api::Resource* resource : contents_) {
      remove_all(*resource, name_space, remains);
      if (resource == contents_.front() && !remains.nothing()) return remains;
    }
    for (const custom::DefinitionPtr& definition : custom_.all()) {
      const CustomVersion version = readable_version(definition);
      if (version && version.resource->namespaced) {
        remove_all(*version.resource, name_space, remains);
      }
    }
    extensions_.empty(name_space, remains);
    return remains;
  }

  void remove_all(const api::Resource& resource, const std::string& name_space, Remains& remains) {
    const client::Place all{
        .resource = &resource, .name_space = name_space, .name = {}, .subresource = {}};
    const Result<client::ObjectList> before = client_.list(all, {});
    if (before && before->items.empty()) return;
    // Its definition was deleted meanwhile, and all objects with it.
    if (resource.custom && before.is(Reason::kNotFound)) return;
    const Result<void> removed =
        before ? client_.remove_collection(all, {}, {.propagation = api::Propagation::kBackground})
               : Result<void>(before.status());
    const Result<client::ObjectList> after = client_.list(all, {});
    if (!removed || !after) {
      remains.add_failure(!removed ? removed.status().message() : after.status().message());
      return;
    }
    for (const api::ObjectPtr& object : after->items) {
      const Result<json::Document> document = object->document();
      remains.add_object(resource.name, resource.group,
                         document ? View(document->root())["metadata"] : View());
    }
  }

  Result<void> tell(const Key& key, json::Document& document, const Remains& remains) {
    const Edit status = Edit(document).object("status");
    bool changed = false;
    for (const Condition& condition : conditions_of(remains)) {
      changed = set_condition(status, condition, clock_.now()) || changed;
    }
    if (!changed) return {};
    return write(key, "status", document);
  }

  Result<Again> let_go(const Key& key, json::Document& document) {
    const Edit spec = Edit(document).object("spec");
    json::Value left = json::Value::array();
    for (const View finalizer : spec["finalizers"].items()) {
      if (finalizer.text() == kFinalizer) continue;
      left.push_back(document.arena(), finalizer.value()->copy(document.arena()));
    }
    spec.set("finalizers", std::move(left));
    TRY(write(key, "finalize", document));
    return Again{};
  }

  // The answer's version stands in the document afterwards.
  Result<void> write(const Key& key, std::string_view part, json::Document& document) {
    const Result<api::ObjectPtr> written = client_.update({.resource = &resource_,
                                                           .name_space = {},
                                                           .name = key.name,
                                                           .subresource = std::string(part)},
                                                          document.copy(), {});
    if (written.is(Reason::kNotFound)) return {};
    if (!written) return written.status();
    Edit(document)
        .object("metadata")
        .set("resourceVersion", (*written)->metadata().resource_version);
    return {};
  }

  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& informer_;
  const CustomResources& custom_;
  const NamespaceExtensions extensions_;
  std::vector<const api::Resource*> contents_;  // built-in ones, pods first
};

}  // namespace namespaces

std::unique_ptr<Controller> make_namespace_controller(const ControllerContext& context) {
  return std::make_unique<namespaces::Namespaces>(context);
}

}  // namespace proa::controllers
