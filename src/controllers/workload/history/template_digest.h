#pragma once

#include <array>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/schema/schema.h"
#include "kinds/defaulting.h"

namespace proa::controllers {

// A digest of a pod template.
struct TemplateDigest {
  bool known = false;  // false: no valid template
  std::array<unsigned char, 32> bytes{};

  bool operator==(const TemplateDigest&) const = default;
};

// Compares pod templates semantically: the order of fields and explicit defaults do not matter. A
// release with new defaults must not replace every pod (upstream's gate
// StatefulSetSemanticRevisionComparison). Thread-safe.
class TemplateDigests {
 public:
  // `ignored_label`: a label of templates that does not count. The schema outlives it.
  explicit TemplateDigests(const api::Schema& schema, std::string_view ignored_label = {});

  // Of spec.template; computed once per version of the object.
  const TemplateDigest& of_owner(const api::Object& owner) const;
  // Of the template in its data.
  const TemplateDigest& of_revision(const api::Object& revision) const;
  // The template in its canonical form. Fails if the data is not a valid template: users can write
  // revisions.
  Result<json::Document> template_of(const api::Object& revision) const;

 private:
  // Decodes by the schema and drops unknown fields.
  Result<json::Document> canonical(json::Document pod_template) const;
  TemplateDigest digest(json::Document pod_template) const;

  const api::Type& type_;
  const std::string ignored_label_;
  const kinds::Defaulting defaulting_;
};

}  // namespace proa::controllers
