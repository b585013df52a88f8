#include "controllers/workload/history/template_digest.h"

#include <openssl/evp.h>

#include "api/codec/json/decode.h"
#include "base/check.h"
#include "controllers/workload/history/revisions.h"
#include "kinds/kinds.h"

namespace proa::controllers {
namespace template_digest {

// Kept apart, since both may be worked out for one object.
struct OfOwner {
  TemplateDigest digest;
};
struct OfRevision {
  TemplateDigest digest;
};

}  // namespace template_digest

TemplateDigests::TemplateDigests(const api::Schema& schema)
    : type_(*schema.find_openapi("io.k8s.api.core.v1.PodTemplateSpec")),
      defaulting_(schema, kinds::all_type_defaults()) {}

const TemplateDigest& TemplateDigests::of_owner(const api::Object& owner) const {
  using template_digest::OfOwner;
  return owner
      .kept<OfOwner>([&] {
        const Result<json::Document> document = owner.document();
        if (!document) return OfOwner{};
        return OfOwner{digest(api::View(document->root())["spec"]["template"])};
      })
      .digest;
}

const TemplateDigest& TemplateDigests::of_revision(const api::Object& revision) const {
  using template_digest::OfRevision;
  return revision
      .kept<OfRevision>([&] {
        const Result<json::Document> pod_template = template_of(revision);
        if (!pod_template) return OfRevision{};
        return OfRevision{digest(pod_template->root())};
      })
      .digest;
}

Result<json::Document> TemplateDigests::template_of(const api::Object& revision) const {
  const json::Document document = TRY(revision.document());
  const json::Document pod_template = revision_template(document.root());
  return read(pod_template.root());
}

Result<json::Document> TemplateDigests::read(api::View pod_template) const {
  json::Document copy;
  copy.root() = pod_template.value()->copy(copy.arena());
  api::Decoded decoded =
      TRY(api::decode_document(std::move(copy), type_, api::FieldValidation::kIgnore));
  return std::move(decoded.document);
}

TemplateDigest TemplateDigests::digest(api::View pod_template) const {
  TemplateDigest digest;
  if (!pod_template) return digest;
  Result<json::Document> complete = read(pod_template);
  if (!complete) return digest;
  defaulting_.apply(api::Edit(*complete), type_);
  const std::string text = sorted_json(complete->root());
  digest.known = EVP_Digest(text.data(), text.size(), digest.bytes.data(), nullptr, EVP_sha256(),
                            nullptr) == 1;
  CHECK(digest.known);
  return digest;
}

}  // namespace proa::controllers
