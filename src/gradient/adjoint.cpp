/// The adjoint method by transition matrices.
#include "chain.hpp"
#include "methods.hpp"

namespace wavetrain {
namespace {

/// The adjoint method on one job.
template <class Real> class Adjoint {
public:
    explicit Adjoint(const GradientJob& job)
        : job_(job), gradient_(empty_gradient(job)), ket_(static_cast<int>(job.cone.layout.size())),
          bra_(static_cast<int>(job.cone.layout.size())), shared_(job.cone.blocks.size()) {
        for (const Block& block : job.cone.blocks) wanted_.push_back(is_wanted(job, block));
    }

    ConeGradient run() {
        BoundCone bound = job_.bound;
        for (std::size_t sample = 0; sample < job_.symbols.size(); ++sample) {
            bound.rebind_varying(job_.symbols[sample]);
            wavetrain::run(bound, ket_);
            start_bra(sample);
            walk_back(bound, sample);
        }
        for (std::size_t i = 0; i < shared_.size(); ++i)
            if (shared_[i].size() > 0) add_block(bound, i, shared_[i], 0);
        return std::move(gradient_);
    }

private:
    /// bra = sum over j of upstream[j] O_j |ket>.
    void start_bra(std::size_t sample) {
        bra_.clear();
        const double factor = normalization(ket_);
        for (std::size_t j = 0; j < job_.cone.terms.size(); ++j)
            for (const PositionTerm& term : job_.cone.terms[j]) {
                const double weight = factor * job_.upstream[sample][j] * term.coefficient;
                // A constant moves no state, so it has no derivative.
                const bool constant = term.word.x_mask == 0 && term.word.z_mask == 0;
                if (weight != 0.0 && !constant) add_pauli(bra_, ket_, term.word, weight);
            }
    }

    void walk_back(const BoundCone& bound, std::size_t sample) {
        for (std::size_t i = bound.size(); i-- > 0;) {
            const Block& block = bound.block(i);
            const bool rotation = block.kind == Block::Kind::pauli_rotation;
            Matrix m;
            // A rotation commutes with its Pauli word: the element is the same before and after.
            if (wanted_[i] && rotation)
                m = Matrix::Constant(
                    1, 1,
                    pauli_element(bra_, ket_, block.word, block.control_mask, block.control_value));
            undo(ket_, block, bound.bound(i));
            if (wanted_[i] && !rotation) m = transition(bra_, ket_, block);
            undo(bra_, block, bound.bound(i));
            if (!wanted_[i]) continue;
            if (block.varying)
                add_block(bound, i, m, sample);
            else if (shared_[i].size() == 0)
                shared_[i] = std::move(m);
            else
                shared_[i] += m;
        }
    }

    /// The derivatives of all angles of a block from its transition matrix.
    void add_block(const BoundCone& bound, std::size_t index, const Matrix& m, std::size_t sample) {
        const Block& block = bound.block(index);
        const BoundBlock& numbers = bound.bound(index);
        if (block.kind == Block::Kind::pauli_rotation) {
            // 2 Re <bra| (-i/2) P |ket> = Im <bra| P |ket>.
            add_angle(gradient_, job_, block.operations.front(), 0, sample, m(0, 0).imag());
            return;
        }
        const auto gate = [&](std::size_t g) {
            return matrix_in_block(job_.plan, job_.cone, block, block.operations[g],
                                   numbers.angles[g]);
        };
        // With U = G_m ... G_1 the derivative in an angle of G_j is 2 Re tr(dG_j N_j), where
        // N_j = (G_{j-1} ... G_1) M^T (G_m ... G_{j+1}); N_{j+1} = G_j N_j G_{j+1}†.
        Matrix g = gate(0);
        Matrix n = m.transpose().lazyProduct(numbers.matrix).eval().lazyProduct(g.adjoint()).eval();
        for (std::size_t j = 0; j < block.operations.size(); ++j) {
            add_gate(block, j, numbers.angles[j], n, sample);
            if (j + 1 == block.operations.size()) break;
            Matrix next = gate(j + 1);
            n = g.lazyProduct(n).eval().lazyProduct(next.adjoint()).eval();
            g = std::move(next);
        }
    }

    void add_gate(const Block& block, std::size_t j, std::span<const double> angles,
                  const Matrix& n, std::size_t sample) {
        const int operation = block.operations[j];
        for (std::size_t a = 0; a < angles.size(); ++a) {
            if (!is_wanted(job_, operation, a)) continue;
            const Matrix d = derivative_in_block(job_.plan, job_.cone, block, operation, angles,
                                                 static_cast<int>(a));
            Complex trace = 0;
            for (Eigen::Index r = 0; r < d.rows(); ++r)
                for (Eigen::Index c = 0; c < d.cols(); ++c) trace += d(r, c) * n(c, r);
            add_angle(gradient_, job_, operation, a, sample, 2.0 * trace.real());
        }
    }

    const GradientJob& job_;
    ConeGradient gradient_;
    State<Real> ket_;
    State<Real> bra_;
    std::vector<bool> wanted_;   // per block
    std::vector<Matrix> shared_; // per block that does not vary: its matrix, summed over samples
};

} // namespace

template <class Real> ConeGradient differentiate_adjoint(const GradientJob& job) {
    return Adjoint<Real>(job).run();
}

template ConeGradient differentiate_adjoint<float>(const GradientJob& job);
template ConeGradient differentiate_adjoint<double>(const GradientJob& job);

} // namespace wavetrain
