// Keys and certificates for tests, made when they run.
#pragma once

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace holdfast::testing {

struct CertificateFiles {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

// Signs certificates of others. Each has a key of its own on the curve P-256.
class TestAuthority {
 public:
  // The files go into `directory`, which is created.
  explicit TestAuthority(std::filesystem::path directory, const std::string& name = "Test CA")
      : directory_(std::move(directory)), key_(make_key()) {
    std::filesystem::create_directories(directory_);
    certificate_ = make_certificate(name, key_.get());
    extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    sign(certificate_.get());
    write_certificate(file(), certificate_.get());
  }

  std::filesystem::path file() const { return directory_ / "ca.pem"; }

  // Returns the files for a server that shows the authority's own certificate.
  CertificateFiles own() const {
    write_key(directory_ / "ca.key", key_.get());
    return {file(), directory_ / "ca.key"};
  }

  // Issues a certificate. `names` are such as "DNS:localhost,IP:127.0.0.1"; they are empty for a client. It
  // is valid from `begin` to `end`, in days from now. NAME.pem and NAME.key are replaced.
  CertificateFiles issue(const std::string& name, const std::string& names = {}, long begin = -1,
                         long end = 1) {
    const Key key = make_key();
    const Certificate certificate = make_certificate(name, key.get(), begin, end);
    if (!names.empty()) extend(certificate.get(), NID_subject_alt_name, names.c_str());
    sign(certificate.get());
    CertificateFiles files{directory_ / (name + ".pem"), directory_ / (name + ".key")};
    write_certificate(files.certificate, certificate.get());
    write_key(files.key, key.get());
    return files;
  }

 private:
  using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
  using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  static void check(bool ok) {
    if (!ok) throw std::runtime_error("cannot make a certificate");
  }

  static Key make_key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

  Certificate make_certificate(const std::string& name, EVP_PKEY* key, long begin = -1, long end = 1) {
    constexpr long kDay = 24L * 60 * 60;
    Certificate made(X509_new(), X509_free);
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), begin * kDay);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), end * kDay);
    const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8, text, -1, -1, 0);
    X509* issuer = certificate_ ? certificate_.get() : made.get();
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
    check(X509_set_pubkey(made.get(), key) == 1);
    return made;
  }

  static void extend(X509* certificate, int nid, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    check(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
  }

  void sign(X509* certificate) { check(X509_sign(certificate, key_.get(), EVP_sha256()) > 0); }

  static void write_certificate(const std::filesystem::path& path, X509* certificate) {
    const File file(std::fopen(path.c_str(), "w"), std::fclose);
    check(file && PEM_write_X509(file.get(), certificate) == 1);
  }

  static void write_key(const std::filesystem::path& path, EVP_PKEY* key) {
    const File file(std::fopen(path.c_str(), "w"), std::fclose);
    std::filesystem::permissions(path,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    check(file && PEM_write_PrivateKey(file.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  }

  const std::filesystem::path directory_;
  Key key_;
  Certificate certificate_{nullptr, X509_free};
  long serial_ = 0;
};

}  // namespace holdfast::testing
