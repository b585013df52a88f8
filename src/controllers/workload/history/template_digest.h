#pragma once

#include <array>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/schema/schema.h"
#include "kinds/defaulting.h"

namespace proa::controllers {

// What a pod template asks for, in few bytes.
struct TemplateDigest {
  bool known = false;  // there was one that could be read
  std::array<unsigned char, 32> bytes{};

  bool operator==(const TemplateDigest&) const = default;
};

// Tells whether two templates make the same pods: in whichever order their fields stand, and
// whether a default is written down or left out. A release that knows more defaults than the one
// before must not replace every pod (upstream's gate StatefulSetSemanticRevisionComparison). For
// all threads.
class TemplateDigests {
 public:
  // `ignored_label`: of a template, that says nothing of its pods. The schema outlives it.
  explicit TemplateDigests(const api::Schema& schema, std::string_view ignored_label = {});

  // Of its spec.template; worked out once for each state of the object.
  const TemplateDigest& of_owner(const api::Object& owner) const;
  // Of what its data puts there.
  const TemplateDigest& of_revision(const api::Object& revision) const;
  // The template itself. Anybody can write a revision: a failure when it holds something else.
  Result<json::Document> template_of(const api::Object& revision) const;

 private:
  Result<json::Document> read(json::Document pod_template) const;
  TemplateDigest digest(json::Document pod_template) const;

  const api::Type& type_;
  const std::string ignored_label_;
  const kinds::Defaulting defaulting_;
};

}  // namespace proa::controllers
