#include "kubelet/runtime/builtin/builtin_images.h"

#include <fmt/format.h>

#include <vector>

#include "base/archive/tar.h"
#include "base/check.h"
#include "base/encoding.h"
#include "crypto/digest.h"
#include "kubelet/runtime/builtin/programs.h"

namespace proa::kubelet {
namespace builtin_images_unit {

#if defined(__x86_64__)
constexpr std::string_view kProcessor = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kProcessor = "arm64";
#else
#error "no name for this processor"
#endif

// A piece of content that is named by its digest.
struct Blob {
  std::string content = {};
  std::string digest = {};  // hexadecimal

  std::string path() const { return "blobs/sha256/" + digest; }
};

Blob make_blob(std::string content) {
  Blob blob;
  blob.digest = crypto::sha256(content).hex();
  blob.content = std::move(content);
  return blob;
}

struct Parts {
  Blob layer = {};
  Blob config = {};
  Blob manifest = {};
};

Blob make_layer(const BuiltinImage& image) {
  Tar tar;
  tar.add(image.path.substr(1), image.program, 0755);
  return make_blob(tar.finish());
}

// The texts are ours: nothing in them has to be escaped.
Blob make_config(const BuiltinImage& image, const Blob& layer) {
  const std::string port =
      image.port == 0 ? "" : fmt::format(R"("ExposedPorts":{{"{}/tcp":{{}}}},)", image.port);
  return make_blob(
      fmt::format(R"({{"created":"1970-01-01T00:00:00Z","architecture":"{}","os":"linux",)"
                  R"("config":{{{}"User":"{}","Entrypoint":["{}"],"WorkingDir":"/"}},)"
                  R"("rootfs":{{"type":"layers","diff_ids":["sha256:{}"]}}}})",
                  kProcessor, port, image.user, image.path, layer.digest));
}

Blob make_manifest(const Blob& config, const Blob& layer) {
  return make_blob(
      fmt::format(R"({{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",)"
                  R"("config":{{"mediaType":"application/vnd.oci.image.config.v1+json",)"
                  R"("digest":"sha256:{}","size":{}}},)"
                  R"("layers":[{{"mediaType":"application/vnd.oci.image.layer.v1.tar",)"
                  R"("digest":"sha256:{}","size":{}}}]}})",
                  config.digest, config.content.size(), layer.digest, layer.content.size()));
}

Parts make_parts(const BuiltinImage& image) {
  Parts parts;
  parts.layer = make_layer(image);
  parts.config = make_config(image, parts.layer);
  parts.manifest = make_manifest(parts.config, parts.layer);
  return parts;
}

// containerd takes the name from the first annotation, other programs the tag from the second.
std::string index_entry(const BuiltinImage& image, const Parts& parts) {
  const std::string_view tag = image.reference.substr(image.reference.rfind(':') + 1);
  return fmt::format(
      R"({{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:{}",)"
      R"("size":{},"annotations":{{"io.containerd.image.name":"{}",)"
      R"("org.opencontainers.image.ref.name":"{}"}},)"
      R"("platform":{{"architecture":"{}","os":"linux"}}}})",
      parts.manifest.digest, parts.manifest.content.size(), image.reference, tag, kProcessor);
}

std::string docker_entry(const BuiltinImage& image, const Parts& parts) {
  return fmt::format(R"({{"Config":"{}","RepoTags":["{}"],"Layers":["{}"]}})", parts.config.path(),
                     image.reference, parts.layer.path());
}

}  // namespace builtin_images_unit

std::span<const BuiltinImage> builtin_images() {
  static const std::array<BuiltinImage, 2> kImages{
      BuiltinImage{"docker.io/proa/pause:1", "/pause", pause_program(), "65535:65535", 0},
      BuiltinImage{"docker.io/proa/hello:1", "/hello", hello_program(), "65534:65534", 8080}};
  return kImages;
}

std::string builtin_image_id(const BuiltinImage& image) {
  return "sha256:" + builtin_images_unit::make_parts(image).config.digest;
}

std::string image_archive(std::span<const BuiltinImage> images) {
  Tar tar;
  std::string index;
  std::string docker;
  tar.add("oci-layout", R"({"imageLayoutVersion":"1.0.0"})", 0644);
  for (const BuiltinImage& image : images) {
    const auto parts = builtin_images_unit::make_parts(image);
    for (const auto* blob : {&parts.layer, &parts.config, &parts.manifest}) {
      tar.add(blob->path(), blob->content, 0644);
    }
    const std::string_view comma = index.empty() ? "" : ",";
    index += fmt::format("{}{}", comma, builtin_images_unit::index_entry(image, parts));
    docker += fmt::format("{}{}", comma, builtin_images_unit::docker_entry(image, parts));
  }
  tar.add("index.json",
          fmt::format(R"({{"schemaVersion":2,)"
                      R"("mediaType":"application/vnd.oci.image.index.v1+json",)"
                      R"("manifests":[{}]}})",
                      index),
          0644);
  tar.add("manifest.json", "[" + docker + "]", 0644);
  return tar.finish();
}

}  // namespace proa::kubelet
