#include "api/validation/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace proa::api {

namespace metadata {

// All keys and values of an object's annotations together.
constexpr size_t kMaxAnnotationBytes = size_t{256} << 10;
constexpr size_t kMaxFieldManager = 128;
constexpr size_t kMaxSubresource = 256;

constexpr std::string_view kOrphanFinalizer = "orphan";
constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

void validate_name(View metadata, const MetadataRule& rule, const Path& path, FieldErrors& errors) {
  const std::string_view prefix = metadata["generateName"].text();
  if (!prefix.empty() && rule.generate_name) {
    errors.invalid_each(path.field("generateName"), prefix, check_generate_name(rule.name, prefix));
  }
  const std::string_view name = metadata["name"].text();
  const Path name_path = path.field("name");
  if (name.empty()) {
    errors.required(name_path, "name or generateName is required");
  } else {
    errors.invalid_each(name_path, name, rule.name(name));
  }
}

void validate_namespace(View metadata, const MetadataRule& rule, const Path& path,
                        FieldErrors& errors) {
  const std::string_view name = metadata["namespace"].text();
  if (!rule.namespaced) {
    if (!name.empty()) errors.forbidden(path, "not allowed on this type");
  } else if (name.empty()) {
    errors.required(path);
  } else {
    errors.invalid_each(path, name, check_dns1123_label(name));
  }
}

// The version of "GROUP/VERSION" or "VERSION"; empty if it is neither.
std::string_view version_of(std::string_view api_version) {
  const auto halves = split_once(api_version, '/');
  if (!halves) return api_version;
  return halves->after.find('/') == std::string_view::npos ? halves->after : std::string_view();
}

void validate_owner(View owner, const Path& path, FieldErrors& errors) {
  const std::string_view api_version = owner["apiVersion"].text();
  if (version_of(api_version).empty())
    errors.invalid(path.field("apiVersion"), api_version, "version must not be empty");
  for (const char* name : {"kind", "name", "uid"}) {
    if (owner[name].text().empty())
      errors.invalid(path.field(name), std::string_view(), "must not be empty");
  }
  if (api_version == "v1" && owner["kind"].text() == "Event")
    errors.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner");
}

void validate_owners(View owners, const Path& path, FieldErrors& errors) {
  std::string controller;
  for (const View owner : owners.items()) {
    validate_owner(owner, path, errors);
    if (!owner["controller"].flag()) continue;
    // The name of the first one is part of every message.
    if (errors.full()) {
      errors.count(1);
      continue;
    }
    std::string name = fmt::format("{}/{}", owner["kind"].text(), owner["name"].text());
    if (controller.empty()) {
      controller = std::move(name);
    } else {
      errors.invalid(path, owners,
                     fmt::format("Only one reference can have Controller set to true. Found "
                                 "\"true\" in references for {} and {}",
                                 controller, name));
    }
  }
}

bool has_text(View list, std::string_view wanted) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const json::Value& item) { return View(item).text() == wanted; });
}

bool is_standard_finalizer(std::string_view name) {
  return name == "kubernetes" || name == kOrphanFinalizer || name == kForegroundFinalizer;
}

void validate_finalizers(View finalizers, const Path& path, FieldErrors& errors) {
  for (const View finalizer : finalizers.items())
    errors.invalid_each(path, finalizer.text(), check_qualified_name(finalizer.text()));
  if (has_text(finalizers, kOrphanFinalizer) && has_text(finalizers, kForegroundFinalizer)) {
    errors.invalid(path, finalizers,
                   fmt::format("finalizer {} and {} cannot be both set", kOrphanFinalizer,
                               kForegroundFinalizer));
  }
}

void validate_qualified(View finalizers, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < finalizers.size(); ++i) {
    const std::string_view name = finalizers.item(i).text();
    if (name.find('/') == std::string_view::npos && !is_standard_finalizer(name)) {
      errors.invalid(path.index(i), name,
                     "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}

void validate_managed_fields(View entries, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const View entry = entries.item(i);
    const Path entry_path = path.index(i);
    const std::string_view operation = entry["operation"].text();
    if (operation != "Apply" && operation != "Update") {
      errors.invalid(entry_path.field("operation"), operation, "must be `Apply` or `Update`");
    }
    const std::string_view format = entry["fieldsType"].text();
    if (!format.empty() && format != "FieldsV1")
      errors.invalid(entry_path.field("fieldsType"), format, "must be `FieldsV1`");
    validate_field_manager(entry["manager"].text(), entry_path.field("manager"), errors);
    if (entry["subresource"].text().size() > kMaxSubresource)
      errors.too_long(entry_path.field("subresource"), kMaxSubresource);
  }
}

void validate_no_new_finalizers(View finalizers, View old, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> added;
  for (const View finalizer : finalizers.items()) added.insert(finalizer.text());
  for (const View finalizer : old.items()) added.erase(finalizer.text());
  if (added.empty()) return;
  std::string list;
  for (const std::string_view name : added) {
    if (!list.empty()) list += ", ";
    list += quoted(name);
  }
  errors.forbidden(path,
                   fmt::format("no new finalizers can be added if the object is being deleted, "
                               "found new finalizers []string{{{}}}",
                               list));
}

void validate_requirement(View requirement, const Path& path, FieldErrors& errors) {
  const std::string_view op = requirement["operator"].text();
  const View values = requirement["values"];
  const Path values_path = path.field("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty())
      errors.required(values_path, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty())
      errors.forbidden(values_path,
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else {
    errors.invalid(path.field("operator"), op, "not a valid selector operator");
  }
  const std::string_view key = requirement["key"].text();
  errors.invalid_each(path.field("key"), key, check_qualified_name(key));
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string_view value = values.item(i).text();
    errors.invalid_each(values_path.index(i), value, check_label_value(value));
  }
}

}  // namespace metadata

void validate_labels(View labels, const Path& path, FieldErrors& errors) {
  for (const json::Member& label : labels.members()) {
    errors.invalid_each(path, label.key, check_qualified_name(label.key));
    const std::string_view value = View(label.value).text();
    errors.invalid_each(path, value, check_label_value(value));
  }
}

void validate_annotations(View annotations, const Path& path, FieldErrors& errors) {
  size_t total = 0;
  for (const json::Member& annotation : annotations.members()) {
    errors.invalid_each(path, annotation.key, check_qualified_name(to_lower(annotation.key)));
    total += annotation.key.size() + View(annotation.value).text().size();
  }
  if (total > metadata::kMaxAnnotationBytes) errors.too_long(path, metadata::kMaxAnnotationBytes);
}

void validate_metadata(View metadata, const MetadataRule& rule, const Path& path,
                       FieldErrors& errors) {
  metadata::validate_name(metadata, rule, path, errors);
  metadata::validate_namespace(metadata, rule, path.field("namespace"), errors);
  validate_non_negative(metadata["generation"], path.field("generation"), errors);
  validate_labels(metadata["labels"], path.field("labels"), errors);
  validate_annotations(metadata["annotations"], path.field("annotations"), errors);
  metadata::validate_owners(metadata["ownerReferences"], path.field("ownerReferences"), errors);
  const Path finalizers = path.field("finalizers");
  metadata::validate_finalizers(metadata["finalizers"], finalizers, errors);
  metadata::validate_managed_fields(metadata["managedFields"], path.field("managedFields"), errors);
  if (rule.qualified_finalizers)
    metadata::validate_qualified(metadata["finalizers"], finalizers, errors);
}

void validate_template_metadata(View metadata, const Path& path, FieldErrors& errors) {
  validate_annotations(metadata["annotations"], path.field("annotations"), errors);
  validate_labels(metadata["labels"], path.field("labels"), errors);
  for (const json::Member& member : metadata.members()) {
    // A null timestamp, for example, is not set.
    if (member.key == "annotations" || member.key == "labels" || member.value.is_null()) continue;
    // Upstream makes the name from that of the Go field.
    const std::string_view name = member.key == "uid" ? std::string_view("uID") : member.key;
    errors.forbidden(path.field(name), "cannot be set");
  }
}

void validate_immutable_metadata(View metadata, View old, const Path& path, FieldErrors& errors) {
  if (old["deletionTimestamp"].exists()) {
    metadata::validate_no_new_finalizers(metadata["finalizers"], old["finalizers"],
                                         path.field("finalizers"), errors);
  }
  if (metadata["resourceVersion"].text().empty()) {
    errors.invalid(path.field("resourceVersion"), std::string_view(),
                   "must be specified for an update");
  }
  const int64_t generation = metadata["generation"].integer();
  if (generation < old["generation"].integer())
    errors.invalid(path.field("generation"), generation, "must not be decremented");
  for (const char* name : {"name", "namespace", "uid"}) {
    const std::string_view value = metadata[name].text();
    if (value != old[name].text()) errors.invalid(path.field(name), value, "field is immutable");
  }
  for (const char* name : {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"})
    validate_immutable(metadata[name], old[name], path.field(name), errors);
}

void validate_metadata_update(View metadata, View old, const Path& path, FieldErrors& errors,
                              bool qualified_finalizers) {
  validate_immutable_metadata(metadata, old, path, errors);
  validate_labels(metadata["labels"], path.field("labels"), errors);
  validate_annotations(metadata["annotations"], path.field("annotations"), errors);
  metadata::validate_owners(metadata["ownerReferences"], path.field("ownerReferences"), errors);
  metadata::validate_managed_fields(metadata["managedFields"], path.field("managedFields"), errors);
  if (qualified_finalizers)
    metadata::validate_qualified(metadata["finalizers"], path.field("finalizers"), errors);
}

void validate_label_selector(View selector, const Path& path, FieldErrors& errors) {
  validate_labels(selector["matchLabels"], path.field("matchLabels"), errors);
  const View expressions = selector["matchExpressions"];
  const Path expressions_path = path.field("matchExpressions");
  for (size_t i = 0; i < expressions.size(); ++i)
    metadata::validate_requirement(expressions.item(i), expressions_path.index(i), errors);
}

void validate_field_manager(std::string_view manager, const Path& path, FieldErrors& errors) {
  if (manager.size() > metadata::kMaxFieldManager)
    errors.too_long(path, metadata::kMaxFieldManager);
  for (size_t at = 0; at < manager.size();) {
    const Utf8 found = decode_utf8(manager.substr(at));
    if (!is_printable(found.code)) {
      errors.invalid(
          path, manager,
          fmt::format("invalid character {} (at position {})", code_point_text(found.code), at));
      // One error suffices; a name with many bad characters would fill the response.
      return;
    }
    at += found.size;
  }
}

void validate_immutable(View value, View old, const Path& path, FieldErrors& errors) {
  if (value != old) errors.invalid(path, value, "field is immutable");
}

void validate_non_negative(View value, const Path& path, FieldErrors& errors) {
  if (value.integer() < 0)
    errors.invalid(path, value.integer(), "must be greater than or equal to 0");
}

void validate_enum(View value, std::span<const std::string_view> supported, const Path& path,
                   FieldErrors& errors) {
  if (!value.exists()) return;
  if (std::find(supported.begin(), supported.end(), value.text()) == supported.end())
    errors.not_supported(path, value.text(), supported);
}

}  // namespace proa::api
