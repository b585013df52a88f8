#pragma once

#include "api/validation/field_errors.h"
#include "api/validation/names.h"

namespace proa::api {

// Rules for the metadata of every kind. `path` is its position, "metadata" for the object itself.
struct MetadataRule {
  NameCheck name = check_dns1123_subdomain;
  bool namespaced = true;
  // Finalizers need a domain prefix, except for the three standard ones; not for all kinds.
  bool qualified_finalizers = true;
  bool generate_name = true;  // it is checked, too
};

// For an object as it will be stored: its name is already generated.
void validate_metadata(View metadata, const MetadataRule& rule, const Path& path,
                       FieldErrors& errors);
// Immutable fields.
void validate_immutable_metadata(View metadata, View old, const Path& path, FieldErrors& errors);
// The same, and all but names again, as upstream.
void validate_metadata_update(View metadata, View old, const Path& path, FieldErrors& errors,
                              bool qualified_finalizers = false);
// Of a template, which may have labels and annotations only: for claims made from templates.
void validate_template_metadata(View metadata, const Path& path, FieldErrors& errors);
void validate_labels(View labels, const Path& path, FieldErrors& errors);
void validate_annotations(View annotations, const Path& path, FieldErrors& errors);

// A metav1.LabelSelector.
void validate_label_selector(View selector, const Path& path, FieldErrors& errors);

// The name of a field manager, in managedFields or as an option of a request.
void validate_field_manager(std::string_view manager, const Path& path, FieldErrors& errors);

// "field is immutable" if they differ.
void validate_immutable(View value, View old, const Path& path, FieldErrors& errors);
// Absent values pass both.
void validate_non_negative(View value, const Path& path, FieldErrors& errors);
void validate_enum(View value, std::span<const std::string_view> supported, const Path& path,
                   FieldErrors& errors);

}  // namespace proa::api
