#include "apiserver/representation/openapi/parameters.h"

namespace proa::apiserver {

namespace parameters {

constexpr Parameter kBookmarks{"allowWatchBookmarks", "boolean",
                               "Whether a watch also tells how far it has come."};
constexpr Parameter kContinue{"continue", "string",
                              "Where to go on, as the part of the list before said."};
constexpr Parameter kDryRun{"dryRun", "string",
                            "All: do everything but keep the result. Nothing else is allowed."};
constexpr Parameter kFieldManager{"fieldManager", "string", "Who makes this change."};
constexpr Parameter kPatchFieldManager{"fieldManager", "string",
                                       "Who makes this change; an apply must say so."};
constexpr Parameter kFieldSelector{"fieldSelector", "string",
                                   "Only objects whose fields have these values."};
constexpr Parameter kFieldValidation{
    "fieldValidation", "string",
    "What happens to unknown and duplicate fields: Ignore, Warn or Strict."};
constexpr Parameter kForce{"force", "boolean",
                           "Whether an apply takes fields away from other managers."};
constexpr Parameter kGracePeriod{"gracePeriodSeconds", "integer",
                                 "How long the object has to end; zero means at once."};
constexpr Parameter kIgnoreReadError{
    "ignoreStoreReadErrorWithClusterBreakingPotential", "boolean",
    "Whether an object that can't be read is removed nevertheless, without any of the usual care."};
constexpr Parameter kLabelSelector{"labelSelector", "string",
                                   "Only objects whose labels match this."};
constexpr Parameter kLimit{"limit", "integer", "How many objects to answer with at most."};
constexpr Parameter kOrphan{"orphanDependents", "boolean",
                            "Deprecated: propagationPolicy says it better."};
constexpr Parameter kPropagation{
    "propagationPolicy", "string",
    "What happens to what the object owns: Orphan, Background or Foreground."};
constexpr Parameter kResourceVersion{"resourceVersion", "string",
                                     "How new the answer must be; where a watch starts."};
constexpr Parameter kResourceVersionMatch{"resourceVersionMatch", "string",
                                          "How resourceVersion is meant: Exact or NotOlderThan."};
constexpr Parameter kInitialEvents{"sendInitialEvents", "boolean",
                                   "Whether a watch starts with the objects that are there."};
constexpr Parameter kShardSelector{"shardSelector", "string", "Only objects of these shards."};
constexpr Parameter kTimeout{"timeoutSeconds", "integer",
                             "When a list or watch ends at the latest."};
constexpr Parameter kWatch{"watch", "boolean", "Whether to go on with what changes."};

constexpr Parameter kList[] = {kBookmarks,
                               kContinue,
                               kFieldSelector,
                               kLabelSelector,
                               kLimit,
                               kResourceVersion,
                               kResourceVersionMatch,
                               kInitialEvents,
                               kShardSelector,
                               kTimeout,
                               kWatch};
constexpr Parameter kDelete[] = {kDryRun, kGracePeriod, kIgnoreReadError, kOrphan, kPropagation};
constexpr Parameter kDeleteCollection[] = {kContinue,
                                           kDryRun,
                                           kFieldSelector,
                                           kGracePeriod,
                                           kIgnoreReadError,
                                           kLabelSelector,
                                           kLimit,
                                           kOrphan,
                                           kPropagation,
                                           kResourceVersion,
                                           kResourceVersionMatch,
                                           kInitialEvents,
                                           kShardSelector,
                                           kTimeout};
constexpr Parameter kWrite[] = {kDryRun, kFieldManager, kFieldValidation};
constexpr Parameter kPatch[] = {kDryRun, kPatchFieldManager, kFieldValidation, kForce};

// Empty if it cannot be a query parameter.
std::string_view type_of(const api::Type& type) {
  switch (type.form) {
    case api::Form::kString:
      return "string";
    case api::Form::kBool:
      return "boolean";
    case api::Form::kInt32:
    case api::Form::kInt64:
      return "integer";
    default:
      return {};
  }
}

}  // namespace parameters

constinit const Parameter kNameParameter{"name", "string", "The name of the object.", true};
constinit const Parameter kNamespaceParameter{"namespace", "string", "The namespace of the object.",
                                              true};
constinit const Parameter kPathParameter{"path", "string",
                                         "The path of the request behind the proxy.", true};
constinit const Parameter kPrettyParameter{"pretty", "string",
                                           "Whether the answer is laid out for people."};

std::span<const Parameter> list_parameters() { return parameters::kList; }
std::span<const Parameter> delete_parameters() { return parameters::kDelete; }
std::span<const Parameter> delete_collection_parameters() { return parameters::kDeleteCollection; }
std::span<const Parameter> write_parameters() { return parameters::kWrite; }
std::span<const Parameter> patch_parameters() { return parameters::kPatch; }

std::vector<Parameter> parameters_of(const api::Type& options) {
  std::vector<Parameter> found;
  for (const api::Field& field : options.fields) {
    const std::string_view type = parameters::type_of(*field.type);
    if (type.empty() || field.shape == api::Shape::kMap) continue;
    if (field.name == "kind" || field.name == "apiVersion") continue;
    found.push_back({field.name, type, options.describe(field)});
  }
  return found;
}

}  // namespace proa::apiserver
