"""scikit-learn's grid search over models and their parameters.

Run: python examples/grid_search.py
"""

from __future__ import annotations

from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from streambayes.sklearn import StreamingClassifier


def main() -> None:
    x, y = load_wine(return_X_y=True)
    grid = {"model": ["nb"], "var_prior": [0.1, 1.0, 10.0], "k": [0.0, 1.0]}
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    search = GridSearchCV(StreamingClassifier(), grid, cv=folds).fit(x, y)
    print(f"best of {len(search.cv_results_['params'])}: {search.best_params_}")
    print(f"accuracy {search.best_score_:.3f}")


if __name__ == "__main__":
    main()
