#include "kubelet/workers/static_pods/manifest.h"

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "api/validation/metadata.h"
#include "base/strings.h"
#include "json/print.h"
#include "kinds/kinds.h"
#include "kubelet/workers/static_pods/api_references.h"

namespace proa::kubelet {
namespace manifest {

using api::Edit;
using api::View;

// FNV-1a with 128 bits, in 32 hexadecimal digits, as upstream names static pods.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char byte : text) {
      value_ ^= static_cast<unsigned char>(byte);
      value_ *= kPrime;
    }
  }
  std::string str() const {
    std::string digits;
    for (int shift = 124; shift >= 0; shift -= 4) {
      digits += "0123456789abcdef"[static_cast<unsigned>(value_ >> shift) & 15U];
    }
    return digits;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
  Wide value_ = (Wide{0x6c62272e07bb0142ULL} << 64) | 0x62b821756295c58dULL;
};

bool tolerates_no_execute(View toleration) {
  return toleration["operator"].text() == "Exists" && toleration["effect"].text() == "NoExecute" &&
         toleration["key"].text().empty() && toleration["value"].text().empty();
}

// Nothing drives it away; a toleration that does so for some time only is replaced.
void add_toleration(Edit spec) {
  const Edit list = spec.array("tolerations");
  for (size_t index = 0; index < list.size(); ++index) {
    if (!tolerates_no_execute(list.item(index).view())) continue;
    list.item(index).remove("tolerationSeconds");
    return;
  }
  const Edit added = list.push_object();
  added.set("operator", "Exists");
  added.set("effect", "NoExecute");
}

Status invalid(std::string_view why) {
  return {Reason::kInvalid, "invalid pod: " + std::string(why)};
}

}  // namespace manifest

ManifestReader::ManifestReader(api::NodeName node_name)
    : node_name_(std::move(node_name)),
      type_(*api::builtin_schema().find_kind("v1", "Pod")),
      defaulting_(api::builtin_schema(), kinds::all_type_defaults()) {}

void ManifestReader::make_static(api::Edit pod, std::string_view path, Time now) const {
  const api::Edit metadata = pod.object("metadata");
  std::string uid(metadata["uid"].text());
  if (uid.empty()) {
    manifest::Hash hash;
    hash.add(json::print(pod.value()));
    hash.add("host:" + node_name_.str());
    hash.add("file:");
    hash.add(path);
    uid = hash.str();
  }
  metadata.set("uid", uid);
  metadata.set("name", std::string(metadata["name"].text()) + "-" + to_lower(node_name_.view()));
  if (metadata["namespace"].text().empty()) metadata.set("namespace", "default");
  const api::Edit annotations = metadata.object("annotations");
  annotations.set(kConfigHash, uid);
  annotations.set(kConfigSource, "file");
  annotations.set(kConfigSeen, format_micro_time(now));
  const api::Edit spec = pod.object("spec");
  spec.set("nodeName", node_name_.view());
  manifest::add_toleration(spec);
  pod.set("status", json::Value::object());
  pod.object("status").set("phase", "Pending");
}

Result<void> ManifestReader::validate(api::View pod) const {
  const kinds::KindRules& rules = kinds::find_rules("v1", "Pod");
  api::FieldErrors errors;
  api::validate_metadata(pod["metadata"], {.name = rules.name}, api::Path("metadata"), errors);
  rules.validate(pod, errors);
  rules.validate_create(pod, errors);
  if (!errors.empty()) return manifest::invalid(join(errors.texts(), ", "));
  const std::string_view reference = find_api_reference(pod["spec"]);
  if (reference.empty()) return {};
  return Status(Reason::kInvalid, "static pods may not reference " + std::string(reference));
}

Result<PodPtr> ManifestReader::read(std::string_view text, std::string_view path, Time now) const {
  api::Decoded decoded = TRY(api::decode_yaml(text, type_, api::FieldValidation::kIgnore));
  const api::Edit pod(decoded.document);
  if (!pod.value().is(json::Kind::kObject) || pod["apiVersion"].text() != "v1" ||
      pod["kind"].text() != "Pod") {
    return Status(Reason::kBadRequest, "couldn't parse as pod, please check config file");
  }
  if (pod["metadata"]["name"].text().empty()) {
    return manifest::invalid("name is needed for the pod");
  }
  defaulting_.apply(pod, type_);
  make_static(pod, path, now);
  TRY(validate(pod.view()));
  // Once more through the codec: what is canonical has its fields in order.
  const api::Decoded whole =
      TRY(api::decode_document(std::move(decoded.document), type_, api::FieldValidation::kIgnore));
  return Pod::read(api::Object::make(json::print(whole.document.root())), Pod::Source::kFile);
}

}  // namespace proa::kubelet
