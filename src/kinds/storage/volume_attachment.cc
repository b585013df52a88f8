#include "kinds/storage/volume_attachment.h"

#include "api/validation/metadata.h"
#include "kinds/checks/drivers.h"
#include "kinds/core/volumes/persistent_volume.h"

namespace proa::kinds {

namespace volume_attachment {

constexpr size_t kMaxMetadataBytes = size_t{256} << 10;
constexpr size_t kMaxMessageBytes = 1024;
constexpr std::string_view kOneSource =
    "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

void validate_source(View source, const api::Path& path, api::FieldErrors& errors) {
  const View name = source["persistentVolumeName"];
  const View inline_spec = source["inlineVolumeSpec"];
  if (!name && !inline_spec) {
    errors.required(path, kOneSource);
  } else if (name && inline_spec) {
    errors.forbidden(path, kOneSource);
  } else if (inline_spec) {
    validate_volume_spec(inline_spec, "", VolumeSpecUse::kInline, path.field("inlineVolumeSpec"),
                         errors);
  } else if (name.text().empty()) {
    errors.required(path.field("persistentVolumeName"),
                    "must specify non empty persistentVolumeName");
  }
}

void validate_error(View error, const api::Path& path, api::FieldErrors& errors) {
  // Upstream reports a different limit here.
  if (error["message"].text().size() > kMaxMessageBytes) {
    errors.too_long(path.field("message"), kMaxMetadataBytes);
  }
  if (error["errorCode"].integer() < 0) {
    errors.invalid(path.field("errorCode"), error["errorCode"],
                   "must be between 0 and 2147483647, inclusive");
  }
}

void validate_status(View status, const api::Path& path, api::FieldErrors& errors) {
  size_t bytes = 0;
  for (const json::Member& member : status["attachmentMetadata"].members()) {
    bytes += member.key.size() + View(member.value).text().size();
  }
  if (bytes > kMaxMetadataBytes) {
    errors.too_long(path.field("attachmentMetadata"), kMaxMetadataBytes);
  }
  validate_error(status["attachError"], path.field("attachError"), errors);
  validate_error(status["detachError"], path.field("detachError"), errors);
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_driver_name(spec["attacher"], path.field("attacher"), errors);
  const api::Path source_path = path.field("source");
  validate_source(spec["source"], source_path, errors);
  const std::string_view node = spec["nodeName"].text();
  errors.invalid_each(path.field("nodeName"), node, api::check_dns1123_subdomain(node));
  validate_status(object["status"], api::Path("status"), errors);
  const View name = spec["source"]["persistentVolumeName"];
  if (!name) return;
  errors.invalid_each(source_path.field("persistentVolumeName"), name.text(),
                      api::check_dns1123_subdomain(name.text()));
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"], old["spec"], api::Path("spec"), errors);
}

void validate_status_update(View object, View, api::FieldErrors& errors) {
  validate_status(object["status"], api::Path("status"), errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Attacher", .format = "name", .description = "The driver that attaches it."},
    {.name = "PV", .description = "The volume."},
    {.name = "Node", .description = "The node that it belongs to."},
    {.name = "Attached", .type = "boolean", .description = "Whether it is attached."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.text(spec["attacher"].text());
  cells.text(spec["source"]["persistentVolumeName"].text());
  cells.text(spec["nodeName"].text());
  cells.flag(object["status"]["attached"].flag());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace volume_attachment

KindRules volume_attachment_rules() {
  return {.kind = "storage.k8s.io/v1/VolumeAttachment",
          .metadata = {.update = "M", .status = "M"},
          .validate = volume_attachment::validate,
          .validate_update = volume_attachment::validate_update,
          .validate_status_update = volume_attachment::validate_status_update,
          .columns = volume_attachment::kColumns,
          .row = volume_attachment::row};
}

}  // namespace proa::kinds
