#pragma once

#include <span>
#include <string>
#include <string_view>

namespace proa::kubelet {

// An image that is part of the program, so that a cluster starts without pulling anything: one file
// in an empty root.
struct BuiltinImage {
  std::string_view reference = {};  // "docker.io/proa/hello:1"
  std::string_view path = {};       // of the program, which is also the entry point: "/hello"
  std::string_view program = {};    // its bytes
  std::string_view user = {};       // "65534:65534"
  int port = 0;                     // that it listens on; 0: none
};

// pause, which holds the namespaces of pods, and hello, a small web server.
std::span<const BuiltinImage> builtin_images();

// The image id: the digest of its configuration, "sha256:...".
std::string builtin_image_id(const BuiltinImage& image);

// The images as one tar in OCI layout that docker reads too. The same program always produces the
// same bytes.
std::string image_archive(std::span<const BuiltinImage> images);

}  // namespace proa::kubelet
