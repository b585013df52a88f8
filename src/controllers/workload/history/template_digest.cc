#include "controllers/workload/history/template_digest.h"

#include "api/codec/json/decode.h"
#include "controllers/workload/history/revisions.h"
#include "controllers/workload/objects/template_owner.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "kinds/kinds.h"

namespace proa::controllers {
namespace template_digest {

// Cached separately, since an object may have both.
struct OfOwner {
  TemplateDigest digest;
};
struct OfRevision {
  TemplateDigest digest;
};

}  // namespace template_digest

TemplateDigests::TemplateDigests(const api::Schema& schema, std::string_view ignored_label)
    : type_(*schema.find_openapi("io.k8s.api.core.v1.PodTemplateSpec")),
      ignored_label_(ignored_label),
      defaulting_(schema, kinds::all_type_defaults()) {}

const TemplateDigest& TemplateDigests::of_owner(const api::Object& owner) const {
  using template_digest::OfOwner;
  return owner
      .kept<OfOwner>([&] {
        const Result<objects::TemplateOwner> read = api::decode<objects::TemplateOwner>(owner);
        if (!read || read->spec.pod_template.empty()) return OfOwner{};
        Result<json::Document> parsed = json::parse(read->spec.pod_template.text);
        if (!parsed) return OfOwner{};
        Result<json::Document> pod_template = canonical(std::move(*parsed));
        return pod_template ? OfOwner{digest(std::move(*pod_template))} : OfOwner{};
      })
      .digest;
}

const TemplateDigest& TemplateDigests::of_revision(const api::Object& revision) const {
  using template_digest::OfRevision;
  return revision
      .kept<OfRevision>([&] {
        Result<json::Document> pod_template = template_of(revision);
        if (!pod_template) return OfRevision{};
        return OfRevision{digest(std::move(*pod_template))};
      })
      .digest;
}

Result<json::Document> TemplateDigests::template_of(const api::Object& revision) const {
  json::Document pod_template = TRY(revision_template(revision));
  return canonical(std::move(pod_template));
}

Result<json::Document> TemplateDigests::canonical(json::Document pod_template) const {
  api::Decoded decoded =
      TRY(api::decode_document(std::move(pod_template), type_, api::FieldValidation::kIgnore));
  return std::move(decoded.document);
}

TemplateDigest TemplateDigests::digest(json::Document pod_template) const {
  json::Value* metadata = pod_template.root().find("metadata");
  json::Value* labels = metadata == nullptr ? nullptr : metadata->find("labels");
  if (labels != nullptr && labels->is(json::Kind::kObject)) labels->remove(ignored_label_);
  defaulting_.apply(api::Edit(pod_template), type_);
  const std::string text = sorted_json(pod_template.root());
  return {.known = true, .bytes = crypto::sha256(text).bytes};
}

}  // namespace proa::controllers
