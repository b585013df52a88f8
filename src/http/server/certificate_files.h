#pragma once

#include <memory>
#include <string>

#include "base/files.h"
#include "http/net/loop.h"
#include "http/net/tls.h"

namespace proa::http {

// A server's certificate and key in files, followed while the server runs: when they change, new
// connections get the new ones. Files that can't be used leave the old ones in force, and a
// warning. Not to be used on a loop's thread.
class CertificateFiles {
 public:
  struct Paths {
    std::string certificate;
    std::string private_key;
  };

  // `options`: what the contexts are like, apart from the certificate. A Status when the files
  // can't be used at the start.
  static Result<std::unique_ptr<CertificateFiles>> open(Loop& loop, Files& files, Paths paths,
                                                        TlsOptions options);
  ~CertificateFiles();
  CertificateFiles(const CertificateFiles&) = delete;
  CertificateFiles& operator=(const CertificateFiles&) = delete;

  const TlsSource& source() const { return source_; }

 private:
  struct Watches;
  CertificateFiles(Loop& loop, Files& files, Paths paths, TlsOptions options);
  Result<void> load();
  void reload();

  Loop& loop_;
  Files& files_;
  const Paths paths_;
  TlsOptions options_;  // with the certificate that is in force
  TlsSource source_{nullptr};
  std::unique_ptr<Watches> watches_;  // loop thread only
};

}  // namespace proa::http
