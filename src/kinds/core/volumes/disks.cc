#include "kinds/core/volumes/disks.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "kinds/checks/drivers.h"

namespace proa::kinds::pods {

namespace disks {

using Check = void (*)(View source, const Path& path, FieldErrors& errors);

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void check_host_path(View source, const Path& path, FieldErrors& errors) {
  if (!require_text(source, "path", path, errors)) return;
  check_no_backsteps(source["path"], path.field("path"), errors);
  check_one_of(source["type"],
               {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                "FileOrCreate", "Socket"},
               path.field("type"), errors);
}

void check_git_repository(View source, const Path& path, FieldErrors& errors) {
  require_text(source, "repository", path, errors);
  check_descending(source["directory"], path.field("directory"), errors);
}

void check_partition(View source, const Path& path, FieldErrors& errors) {
  const int64_t partition = source["partition"].integer();
  if (partition < 0 || partition > 255)
    errors.invalid(path.field("partition"), partition, "must be between 1 and 255, inclusive");
}

void check_nfs(View source, const Path& path, FieldErrors& errors) {
  require_text(source, "server", path, errors);
  require_text(source, "path", path, errors);
  if (!source["path"].text().starts_with('/'))
    errors.invalid(path.field("path"), source["path"].text(), "must be an absolute path");
}

// "iqn.2001-04.com.example:storage.disk1"
bool is_iqn(std::string_view name) {
  constexpr std::string_view kShape = "iqn.dddd-dd.";
  if (name.size() <= kShape.size()) return false;
  for (size_t i = 0; i < kShape.size(); ++i)
    if (kShape[i] == 'd' ? !is_digit(name[i]) : name[i] != kShape[i]) return false;
  const auto halves = split_once(name.substr(kShape.size()), ':');
  if (!halves || halves->before.empty() || halves->after.empty()) return false;
  return std::all_of(halves->before.begin(), halves->before.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; }) &&
         halves->after.find_first_of(",;*&$| \t\n\r\f\v") == std::string_view::npos;
}

// Three letters, any character, and the given number of digits.
bool is_identifier(std::string_view name, size_t digits) {
  return name.size() == 4 + digits && std::all_of(name.begin() + 4, name.end(), is_alphanumeric);
}

void check_iscsi_name(std::string_view name, const Path& path, FieldErrors& errors) {
  const bool iqn = name.starts_with("iqn");
  const bool eui = name.starts_with("eui");
  if (!iqn && !eui && !name.starts_with("naa")) {
    errors.invalid(path, name, "must be valid format starting with iqn, eui, or naa");
  } else if (!(iqn ? is_iqn(name) : is_identifier(name, eui ? 16 : 32))) {
    errors.invalid(path, name, "must be valid format");
  }
}

void check_iscsi(View source, const Path& path, FieldErrors& errors) {
  require_text(source, "targetPortal", path, errors);
  if (require_text(source, "iqn", path, errors))
    check_iscsi_name(source["iqn"].text(), path.field("iqn"), errors);
  check_range(source["lun"], 0, 255, path.field("lun"), errors);
  const bool with_secret = source["chapAuthDiscovery"].flag() || source["chapAuthSession"].flag();
  if (with_secret && !source["secretRef"].exists()) errors.required(path.field("secretRef"));
  if (const View initiator = source["initiatorName"]; initiator.exists())
    check_iscsi_name(initiator.text(), path.field("initiatorname"), errors);
}

void check_fibre_channel(View source, const Path& path, FieldErrors& errors) {
  const View targets = source["targetWWNs"];
  if (targets.empty() && source["wwids"].empty()) {
    errors.required(path.field("targetWWNs"),
                    "must specify either targetWWNs or wwids, but not both");
  }
  if (targets.empty()) return;
  if (!source["wwids"].empty()) {
    errors.invalid(path.field("targetWWNs"), targets,
                   "targetWWNs and wwids can not be specified simultaneously");
  }
  if (!source["lun"].exists()) {
    errors.required(path.field("lun"), "lun is required if targetWWNs is specified");
  } else {
    check_range(source["lun"], 0, 255, path.field("lun"), errors);
  }
}

void check_flocker(View source, const Path& path, FieldErrors& errors) {
  const std::string_view name = source["datasetName"].text();
  const bool has_id = !source["datasetUUID"].text().empty();
  if (name.empty() && !has_id)
    errors.required(path, "one of datasetName and datasetUUID is required");
  if (!name.empty() && has_id) {
    errors.invalid(path, "resource",
                   "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (name.find('/') != std::string_view::npos)
    errors.invalid(path.field("datasetName"), name, "must not contain '/'");
}

bool is_host_and_port(std::string_view pair) {
  if (pair.starts_with('[')) {
    const size_t end = pair.find("]:");
    return end != std::string_view::npos && pair.find_first_of("[]:", end + 2) == pair.npos;
  }
  return std::count(pair.begin(), pair.end(), ':') == 1;
}

void check_quobyte(View source, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kPairs =
      "must be a host:port pair or multiple pairs separated by commas";
  const std::string_view registry = source["registry"].text();
  if (registry.empty()) {
    errors.required(path.field("registry"), kPairs);
  } else if (source["tenant"].text().size() >= 65) {
    errors.required(path.field("tenant"),
                    "must be a UUID and may not exceed a length of 64 characters");
  } else {
    for (const std::string_view pair : split(registry, ','))
      if (!is_host_and_port(pair)) errors.invalid(path.field("registry"), registry, kPairs);
  }
  require_text(source, "volume", path, errors);
}

void check_flex_volume(View source, const Path& path, FieldErrors& errors) {
  require_text(source, "driver", path, errors);
  const Path options = path.field("options");
  for (const json::Member& option : source["options"].members()) {
    const std::string_view domain = option.key.substr(0, option.key.find('/'));
    const std::string normalized = "." + to_lower(domain);
    if (normalized.ends_with(".kubernetes.io") || normalized.ends_with(".k8s.io")) {
      errors.invalid(options.key(option.key), option.key,
                     "kubernetes.io and k8s.io namespaces are reserved");
    }
  }
}

void check_azure_disk(View source, const Path& path, FieldErrors& errors) {
  require_text(source, "diskName", path, errors);
  require_text(source, "diskURI", path, errors);
  check_one_of(source["cachingMode"], {"None", "ReadOnly", "ReadWrite"}, path.field("cachingMode"),
               errors);
  check_one_of(source["kind"], {"Dedicated", "Managed", "Shared"}, path.field("kind"), errors);
  if (!source["kind"].exists()) return;
  const std::string_view uri = source["diskURI"].text();
  if (source["kind"].text() == "Managed") {
    if (!uri.starts_with("/subscriptions/")) {
      errors.not_supported(path.field("diskURI"), uri,
                           {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/"
                            "microsoft.compute/disks/{disk-id}"});
    }
  } else if (!uri.starts_with("https://")) {
    errors.not_supported(
        path.field("diskURI"), uri,
        {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
  }
}

void check_storage_os(View source, const Path& path, FieldErrors& errors) {
  if (require_text(source, "volumeName", path, errors))
    check_text(source["volumeName"], api::check_dns1123_label, path.field("volumeName"), errors);
  if (!source["volumeNamespace"].text().empty()) {
    check_text(source["volumeNamespace"], api::check_dns1123_label, path.field("volumeNamespace"),
               errors);
  }
}

void check_csi(View source, const Path& path, FieldErrors& errors) {
  validate_driver_name(source["driver"], path.field("driver"), errors);
  const View secret = source["nodePublishSecretRef"];
  if (!secret.exists()) return;
  if (require_text(secret, "name", path.field("nodePublishSecretRef"), errors))
    check_text(secret["name"], api::check_dns1123_subdomain, path.field("name"), errors);
}

void check_secret_name(View source, const Path& path, FieldErrors& errors) {
  if (source["secretRef"].exists())
    require_text(source["secretRef"], "name", path.field("secretRef"), errors);
}

void check_nothing(View, const Path&, FieldErrors&) {}

// Required fields, texts and lists alike, and further checks.
struct Disk {
  std::string_view kind;
  std::array<std::string_view, 3> required;
  Check check = check_nothing;
};

constexpr Disk kDisks[] = {
    {"hostPath", {}, check_host_path},
    {"gitRepo", {}, check_git_repository},
    {"gcePersistentDisk", {"pdName"}, check_partition},
    {"awsElasticBlockStore", {"volumeID"}, check_partition},
    {"nfs", {}, check_nfs},
    {"iscsi", {}, check_iscsi},
    {"glusterfs", {"endpoints", "path"}},
    {"flocker", {}, check_flocker},
    {"persistentVolumeClaim", {"claimName"}},
    {"rbd", {"monitors", "image"}},
    {"cinder", {"volumeID"}, check_secret_name},
    {"cephfs", {"monitors"}},
    {"quobyte", {}, check_quobyte},
    {"fc", {}, check_fibre_channel},
    {"flexVolume", {}, check_flex_volume},
    {"azureFile", {"secretName", "shareName"}},
    {"vsphereVolume", {"volumePath"}},
    {"photonPersistentDisk", {"pdID"}},
    {"portworxVolume", {"volumeID"}},
    {"azureDisk", {}, check_azure_disk},
    {"storageos",
     {},
     [](View source, const Path& path, FieldErrors& errors) {
       check_storage_os(source, path, errors);
       check_secret_name(source, path, errors);
     }},
    {"scaleIO", {"gateway", "system", "volumeName"}},
    {"csi", {}, check_csi},
};

}  // namespace disks

void validate_disk(std::string_view kind, View source, const Path& path, FieldErrors& errors) {
  for (const disks::Disk& disk : disks::kDisks) {
    if (disk.kind != kind) continue;
    for (const std::string_view field : disk.required) {
      if (!field.empty() && source[field].empty() && source[field].text().empty())
        errors.required(path.field(field));
    }
    disk.check(source, path, errors);
  }
}

}  // namespace proa::kinds::pods
