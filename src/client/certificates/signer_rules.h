#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "crypto/certificate_request.h"

namespace proa::client {

// The built-in signers of a cluster. Requests for all others, and for kubernetes.io/legacy-unknown,
// are left to other signers.
inline constexpr std::string_view kApiServerClientSigner = "kubernetes.io/kube-apiserver-client";
inline constexpr std::string_view kKubeletClientSigner =
    "kubernetes.io/kube-apiserver-client-kubelet";
inline constexpr std::string_view kKubeletServingSigner = "kubernetes.io/kubelet-serving";

bool is_own_signer(std::string_view signer);

// Checks a request with these usages ("client auth") against the rules of the signer: kInvalid, in
// upstream's words. REQUIRES: is_own_signer(signer).
Result<void> check_for_signer(std::string_view signer, const crypto::CertificateRequest& request,
                              std::span<const std::string_view> usages);

}  // namespace proa::client
