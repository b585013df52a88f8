#include "controllers/workload/deployment/templates.h"

#include <openssl/evp.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "json/print.h"
#include "kinds/kinds.h"

namespace proa::controllers::deployments {
namespace templates {

// Members by their names: defaults are added at the end, wherever they belong.
void print_sorted(std::string& out, api::View value) {
  if (value.is(json::Kind::kArray)) {
    out += '[';
    for (const api::View item : value.items()) {
      print_sorted(out, item);
      out += ',';
    }
    out += ']';
  } else if (value.is(json::Kind::kObject)) {
    std::vector<const json::Member*> members;
    for (const json::Member& member : value.members()) {
      if (!member.value.is_null()) members.push_back(&member);
    }
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return a->key < b->key; });
    out += '{';
    for (const json::Member* member : members) {
      json::print_string_to(out, member->key);
      out += ':';
      print_sorted(out, member->value);
      out += ',';
    }
    out += '}';
  } else if (value.value() != nullptr) {
    json::print_to(out, *value.value());
  }
}

constexpr uint32_t kFnvBasis = 2166136261;
constexpr uint32_t kFnvPrime = 16777619;

}  // namespace templates

Templates::Templates(const api::Schema& schema)
    : type_(*schema.find_openapi("io.k8s.api.core.v1.PodTemplateSpec")),
      defaulting_(schema, kinds::all_type_defaults()) {}

TemplateDigest Templates::digest(api::View pod_template) const {
  json::Document document;
  if (pod_template.exists()) document.root() = pod_template.value()->copy(document.arena());
  if (json::Value* metadata = document.root().find("metadata")) {
    json::Value* labels = metadata->find("labels");
    if (labels != nullptr && labels->is(json::Kind::kObject)) labels->remove(kHashLabel);
  }
  defaulting_.apply(api::Edit(document), type_);
  std::string text;
  templates::print_sorted(text, document.root());
  TemplateDigest digest;
  CHECK(EVP_Digest(text.data(), text.size(), digest.bytes.data(), nullptr, EVP_sha256(), nullptr) ==
        1);
  return digest;
}

const TemplateDigest& Templates::digest_of(const api::Object& owner) const {
  return owner.kept<TemplateDigest>([&] {
    const Result<json::Document> document = owner.document();
    return digest(document ? api::View(document->root())["spec"]["template"] : api::View());
  });
}

std::string template_hash(const TemplateDigest& digest, std::optional<int64_t> collision_count) {
  uint32_t hash = templates::kFnvBasis;
  const auto take = [&](unsigned char byte) { hash = (hash ^ byte) * templates::kFnvPrime; };
  for (const unsigned char byte : digest.bytes) take(byte);
  if (collision_count) {
    for (int i = 0; i < 8; ++i) take(static_cast<unsigned char>(*collision_count >> (8 * i)));
  }
  // As make_suffix() does it: nothing that spells a word.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text = std::to_string(hash);
  for (char& digit : text) digit = kAlphabet[static_cast<size_t>(digit) % kAlphabet.size()];
  return text;
}

std::string set_name(std::string_view deployment, std::string_view hash) {
  constexpr size_t kLongestName = 253;
  const size_t most = kLongestName - 1 - hash.size();
  return std::string(deployment.substr(0, most)) + "-" + std::string(hash);
}

}  // namespace proa::controllers::deployments
