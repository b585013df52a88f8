#include "kubelet/runtime/images/pull_record_files.h"

#include "api/object/edit.h"
#include "base/log.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::kubelet {
namespace pull_record_files {

using api::Edit;
using api::View;

const Log kLog{"kubelet"};
constexpr size_t kMostBytes = 1024 * 1024;
constexpr std::string_view kVersion = "kubelet.config.k8s.io/v1beta1";

std::string name_for(const std::string& text) { return "sha256-" + crypto::sha256(text).hex(); }

PullRecord read_record(View view) {
  PullRecord record{.is_open = view["nodePodsAccessible"].flag()};
  for (const View secret : view["kubernetesSecrets"].items()) {
    PullKey key;
    key.hash = secret["credentialHash"].text();
    key.secret_uid = api::Uid(secret["uid"].text());
    key.secret_namespace = secret["namespace"].text();
    key.secret_name = secret["name"].text();
    record.keys.push_back(std::move(key));
  }
  return record;
}

void write_record(const PullRecord& record, const Edit& edit) {
  if (record.is_open) edit.set("nodePodsAccessible", true);
  for (const PullKey& key : record.keys) {
    const Edit secret = edit.array("kubernetesSecrets").push_object();
    secret.set("uid", key.secret_uid.view());
    secret.set("namespace", std::string_view(key.secret_namespace));
    secret.set("name", std::string_view(key.secret_name));
    secret.set("credentialHash", std::string_view(key.hash));
  }
}

// Calls `take` with each document of a folder that can be read.
template <typename Take>
void read_all(Files& files, const std::string& folder, Take take) {
  const Result<std::vector<std::string>> names = files.list(folder);
  if (!names.ok()) return;  // nothing was written yet
  for (const std::string& name : *names) {
    const Result<std::string> text = files.read_file(folder + "/" + name, kMostBytes);
    const auto document = text.ok() ? json::parse(*text) : Result<json::Document>(text.status());
    if (document.ok()) {
      take(View(document->root()));
    } else {
      kLog.warn("reading an image pull record failed",
                {{"file", folder + "/" + name}, {"error", document.status()}});
    }
  }
}

}  // namespace pull_record_files

std::string PullRecordFiles::pulled(const std::string& image_id) const {
  return folder_ + "/pulled/" + pull_record_files::name_for(image_id);
}

std::string PullRecordFiles::pulling(const std::string& reference) const {
  return folder_ + "/pulling/" + pull_record_files::name_for(reference);
}

std::map<std::string, ImagePulls> PullRecordFiles::read() const {
  std::map<std::string, ImagePulls> images;
  pull_record_files::read_all(files_, folder_ + "/pulled", [&](api::View record) {
    const std::string id(record["imageRef"].text());
    if (id.empty()) return;
    ImagePulls& pulls = images[id];
    for (const json::Member& member : record["credentialMapping"].members()) {
      pulls[std::string(member.key)] = pull_record_files::read_record(member.value);
    }
  });
  return images;
}

std::set<std::string> PullRecordFiles::interrupted() const {
  std::set<std::string> references;
  pull_record_files::read_all(files_, folder_ + "/pulling", [&](api::View intent) {
    references.insert(std::string(intent["image"].text()));
  });
  return references;
}

void PullRecordFiles::write(const std::string& image_id, const ImagePulls& pulls) {
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit edit(document);
  edit.set("apiVersion", pull_record_files::kVersion);
  edit.set("kind", std::string_view("ImagePulledRecord"));
  edit.set("imageRef", std::string_view(image_id));
  for (const auto& [repository, record] : pulls) {
    pull_record_files::write_record(record, edit.object("credentialMapping").object(repository));
  }
  save("/pulled", pulled(image_id), json::print(document.root()));
}

void PullRecordFiles::begin(const std::string& reference) {
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit edit(document);
  edit.set("apiVersion", pull_record_files::kVersion);
  edit.set("kind", std::string_view("ImagePullIntent"));
  edit.set("image", std::string_view(reference));
  save("/pulling", pulling(reference), json::print(document.root()));
}

void PullRecordFiles::remove(const std::string& image_id) { discard(pulled(image_id)); }
void PullRecordFiles::end(const std::string& reference) { discard(pulling(reference)); }

void PullRecordFiles::save(const std::string& folder, const std::string& path,
                           const std::string& text) {
  Result<void> done = files_.make_dirs(folder_ + folder, 0700);
  if (done.ok()) done = files_.write_file_atomic(path, text, 0600);
  if (done.ok()) return;
  pull_record_files::kLog.warn("writing an image pull record failed", {{"error", done.status()}});
}

void PullRecordFiles::discard(const std::string& path) {
  const Result<void> removed = files_.remove(path);
  if (removed.ok() || removed.is(Reason::kNotFound)) return;
  pull_record_files::kLog.warn("removing an image pull record failed",
                               {{"error", removed.status()}});
}

}  // namespace proa::kubelet
