#include "kubelet/pod/volumes/content/trust_anchors.h"

#include <set>

#include "api/selector/label_selector.h"
#include "base/encoding.h"
#include "crypto/pem.h"

namespace proa::kubelet {
namespace trust_anchors_file {

constexpr size_t kPemLine = 64;

std::string pem_of(std::string_view bytes) {
  const std::string base64 = to_base64(bytes);
  std::string text = "-----BEGIN CERTIFICATE-----\n";
  for (size_t i = 0; i < base64.size(); i += kPemLine) {
    text.append(base64.substr(i, kPemLine)).push_back('\n');
  }
  return text + "-----END CERTIFICATE-----\n";
}

Result<std::string> normalized(const std::vector<api::ObjectPtr>& bundles) {
  std::set<std::string> certificates;
  for (const api::ObjectPtr& bundle : bundles) {
    const json::Document document = TRY(bundle->document());
    std::string_view text = api::View(document.root())["spec"]["trustBundle"].text();
    while (auto block = crypto::next_pem_block(text)) certificates.insert(std::move(block->bytes));
  }
  std::string all;
  for (const std::string& certificate : certificates) all += pem_of(certificate);
  return all;
}

Result<std::vector<api::ObjectPtr>> of_signer(api::View projection, const TrustBundles& all) {
  const std::string_view signer = projection["signerName"].text();
  if (!all) {
    return Status(Reason::kServiceUnavailable,
                  "ClusterTrustBundle projection by signerName is not supported by this node");
  }
  const api::LabelSelector selector = TRY(api::LabelSelector::from(projection["labelSelector"]));
  const std::vector<api::ObjectPtr> bundles = TRY(all());
  std::vector<api::ObjectPtr> found;
  for (const api::ObjectPtr& bundle : bundles) {
    if (!selector.matches(std::span<const api::LabelPair>(bundle->metadata().labels))) continue;
    const json::Document document = TRY(bundle->document());
    if (api::View(document.root())["spec"]["signerName"].text() == signer) found.push_back(bundle);
  }
  return found;
}

}  // namespace trust_anchors_file

Result<std::string> trust_anchors(api::View projection, ObjectSource& objects,
                                  const TrustBundles& all) {
  const bool optional = projection["optional"].flag();
  if (projection["name"]) {
    const Result<api::ObjectPtr> bundle =
        objects.get("certificates.k8s.io", "clustertrustbundles", "", projection["name"].text());
    if (bundle.is(Reason::kNotFound) && optional) return std::string();
    if (!bundle.ok()) return bundle.status().in("while getting ClusterTrustBundle");
    return trust_anchors_file::normalized({*bundle});
  }
  if (!projection["signerName"]) {
    return Status(Reason::kBadRequest,
                  "ClusterTrustBundle projection requires either name or signerName to be set");
  }
  const std::vector<api::ObjectPtr> found = TRY(trust_anchors_file::of_signer(projection, all));
  if (found.empty() && !optional) {
    return Status(Reason::kNotFound,
                  "combination of signerName and labelSelector matched zero ClusterTrustBundles");
  }
  return trust_anchors_file::normalized(found);
}

}  // namespace proa::kubelet
