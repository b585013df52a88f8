#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/schema/resource.h"
#include "base/result.h"
#include "base/threads/mutex.h"
#include "custom/columns/scale.h"
#include "custom/definition/converted_objects.h"
#include "custom/definition/converter.h"
#include "json/arena.h"

namespace proa::custom {

class Definition;
class Schema;

// A version of a custom resource. Looks like a built-in resource to those who need not know.
class CustomResource : public api::Resource {
 public:
  CustomResource();
  ~CustomResource();
  const Definition& definition() const { return *definition_; }
  // Null: no such subresource.
  const ScalePaths* scale() const { return scale_ ? &*scale_ : nullptr; }
  // How objects of this version begin: {"kind":"Ship","apiVersion":"example.com/v1",
  std::string_view head() const { return head_; }
  // Made at first use, from the definition. Fails only if that is corrupt.
  Result<const Schema*> schema() const EXCLUDES(mutex_);
  // What the definition says of this version: an item of spec.versions. `definition`: its document.
  api::View stated(api::View definition) const;

 private:
  friend class Definition;

  const Definition* definition_ = nullptr;
  std::optional<ScalePaths> scale_;
  std::string_view head_;
  mutable Mutex mutex_;
  mutable std::atomic<const Schema*> made_ = nullptr;
  mutable std::unique_ptr<const Schema> schema_ GUARDED_BY(mutex_);
};

// REQUIRES: resource.custom.
const CustomResource& custom_resource(const api::Resource& resource);

enum class ConversionStrategy : uint8_t { kNone, kWebhook };

// A CustomResourceDefinition at one revision: its versions as resources. Immutable; shared by all
// threads and by all requests that use one of its resources. Schemas are not read here: most
// definitions of a cluster are hardly used.
class Definition {
 public:
  // `before`: the same definition at an earlier revision; null if there is none. Those who read the
  // same object share one definition: the server and the controllers of its process. REQUIRES: a
  // stored CustomResourceDefinition.
  static Result<std::shared_ptr<const Definition>> make(api::ObjectPtr object,
                                                        const Definition* before = nullptr);
  Definition(const Definition&) = delete;
  Definition& operator=(const Definition&) = delete;

  const api::ObjectPtr& object() const { return object_; }
  std::string_view name() const { return object_->metadata().name; }
  std::string_view group() const { return group_; }
  std::string_view plural() const { return plural_; }
  std::string_view kind() const { return kind_; }
  bool namespaced() const { return namespaced_; }
  ConversionStrategy conversion() const { return conversion_; }
  // Whether objects may have to be converted by a webhook: reading them may block.
  bool calls_webhook() const {
    return conversion_ == ConversionStrategy::kWebhook && versions_.size() > 1;
  }
  // Who calls it, set by whoever serves the resources; null: nobody. REQUIRES: it outlives its use.
  Converter* converter() const { return converter_.load(std::memory_order_acquire); }
  void convert_by(Converter* converter) const {
    converter_.store(converter, std::memory_order_release);
  }
  ConvertedObjects& converted() const { return converted_; }
  // Whether its resources exist: its names were accepted at some time.
  bool is_served() const { return served_; }
  // Whether it is being deleted, and has objects that go first: no new ones are created.
  bool is_terminating() const { return terminating_; }

  // Those that are served, in the order of the definition. Empty unless is_served().
  std::span<const CustomResource* const> resources() const { return serving_; }
  // All versions, also those that are not served.
  std::span<const CustomResource> versions() const { return versions_; }
  // Null if there is none.
  const CustomResource* find(std::string_view version) const;
  const CustomResource& stored() const { return *stored_; }

  // The revision at which its spec changed, or a later one: objects that are older may lack
  // defaults or have fields that are no longer in the schema.
  uint64_t changed_at() const { return changed_at_; }

  // Whether those who read and watch by `before` may go on with it: it differs in nothing that they
  // see. So it may be terminating: its objects go, and watchers are told.
  bool continues(const Definition& before) const;
  // Ends once a definition that does not continue this one took its place, or none.
  std::stop_token replaced() const { return replaced_.get_token(); }
  void replace() const { replaced_.request_stop(); }

  size_t memory() const;

 private:
  explicit Definition(api::ObjectPtr object);
  bool has_spec_of(const Definition& before) const;
  Result<void> read(api::View definition);
  void read_names(api::View spec, api::View status);
  void read_conditions(api::View status);
  void add_version(api::View version, api::View versions, CustomResource& resource);
  void add_types(api::View version, CustomResource& resource);
  void add_subresources(api::View subresources, CustomResource& resource);
  void add_selectable(api::View fields, CustomResource& resource);
  std::span<const std::string_view> texts(api::View list);

  const api::ObjectPtr object_;
  mutable std::atomic<Converter*> converter_ = nullptr;
  mutable ConvertedObjects converted_;
  json::Arena arena_;
  std::string_view group_;
  std::string_view plural_;
  std::string_view singular_;
  std::string_view kind_;
  std::string_view list_kind_;
  std::string_view key_prefix_;
  std::string_view storage_hash_;
  std::span<const std::string_view> short_names_;
  std::span<const std::string_view> categories_;
  bool namespaced_ = false;
  bool served_ = false;
  bool terminating_ = false;
  ConversionStrategy conversion_ = ConversionStrategy::kNone;
  uint64_t changed_at_ = 0;
  mutable std::stop_source replaced_;  // shared by definitions that continue each other
  std::vector<CustomResource> versions_;
  std::vector<const CustomResource*> serving_;
  const CustomResource* stored_ = nullptr;
};

using DefinitionPtr = std::shared_ptr<const Definition>;

}  // namespace proa::custom
